CREATE TABLE card_keys (
owner VARCHAR NOT NULL,
"key" VARCHAR NOT NULL,
memory_id VARCHAR NOT NULL,
PRIMARY KEY (owner, "key")
);
CREATE TABLE card_links (
owner VARCHAR NOT NULL,
memory_id VARCHAR NOT NULL,
related_id VARCHAR NOT NULL,
PRIMARY KEY (owner, memory_id, related_id)
);
CREATE TABLE card_readers (
owner VARCHAR NOT NULL,
memory_id VARCHAR NOT NULL,
agent VARCHAR NOT NULL,
PRIMARY KEY (owner, memory_id, agent)
);
CREATE TABLE card_supersedes (
owner VARCHAR NOT NULL,
superseded_id VARCHAR NOT NULL,
memory_id VARCHAR NOT NULL,
PRIMARY KEY (owner, superseded_id, memory_id)
);
INSERT INTO "card_supersedes" VALUES('user:ana','mem_00000000000000000000000000000002','mem_00000000000000000000000000000003');
CREATE TABLE card_versions (
owner VARCHAR NOT NULL,
memory_id VARCHAR NOT NULL,
version INTEGER NOT NULL,
card TEXT NOT NULL,
role VARCHAR NOT NULL,
reason VARCHAR NOT NULL,
written_at BIGINT NOT NULL,
PRIMARY KEY (owner, memory_id, version)
);
INSERT INTO "card_versions" VALUES('user:ana','mem_00000000000000000000000000000002',1,'{"memory_id":"mem_00000000000000000000000000000002","type":"fact","content":"Refunds take 7 working days","source_agent":"user","related_ids":[],"timestamp":"2026-02-28T16:30:00+00:00","status":"active","access_level":"all","version":1,"tier":"short","scope":{"user":"ana","team":null,"agent":null,"thread":"t1"},"subject":"shop","attribute":"refund","value":"","applies_to":[],"at":"2026-02-28T16:30:00+00:00","valid_from":null,"valid_until":null,"weight":1.0,"confidence":1.0,"supersedes":[],"evidence":[],"kind":"fact","about":null}','user','written',1772296200000000);
INSERT INTO "card_versions" VALUES('user:ana','mem_00000000000000000000000000000003',1,'{"memory_id":"mem_00000000000000000000000000000003","type":"fact","content":"退款需要三天","source_agent":"user","related_ids":[],"timestamp":"2026-02-28T16:30:00+00:00","status":"active","access_level":"all","version":1,"tier":"short","scope":{"user":"ana","team":null,"agent":null,"thread":"t1"},"subject":"","attribute":"","value":"","applies_to":[],"at":"2026-02-28T16:30:00+00:00","valid_from":null,"valid_until":null,"weight":1.0,"confidence":1.0,"supersedes":["mem_00000000000000000000000000000002"],"evidence":[],"kind":"fact","about":null}','user','written',1772296200000000);
INSERT INTO "card_versions" VALUES('user:ana','mem_00000000000000000000000000000002',2,'{"memory_id":"mem_00000000000000000000000000000002","type":"fact","content":"Refunds take 7 working days","source_agent":"user","related_ids":[],"timestamp":"2026-02-28T16:30:00+00:00","status":"superseded","access_level":"all","version":2,"tier":"short","scope":{"user":"ana","team":null,"agent":null,"thread":"t1"},"subject":"shop","attribute":"refund","value":"","applies_to":[],"at":"2026-02-28T16:30:00+00:00","valid_from":null,"valid_until":null,"weight":1.0,"confidence":1.0,"supersedes":[],"evidence":[],"kind":"fact","about":null}','user','superseded by mem_00000000000000000000000000000003',1772296200000000);
CREATE TABLE cards (
owner VARCHAR NOT NULL,
memory_id VARCHAR NOT NULL,
user VARCHAR,
team VARCHAR,
agent VARCHAR,
thread VARCHAR,
type VARCHAR NOT NULL,
content TEXT NOT NULL,
source_agent VARCHAR NOT NULL,
related_ids TEXT NOT NULL,
timestamp VARCHAR NOT NULL,
status VARCHAR NOT NULL,
access VARCHAR NOT NULL,
version INTEGER NOT NULL,
tier VARCHAR NOT NULL,
subject VARCHAR NOT NULL,
attribute VARCHAR NOT NULL,
value TEXT NOT NULL,
applies_to TEXT NOT NULL,
at BIGINT NOT NULL,
valid_from BIGINT,
valid_until BIGINT,
weight FLOAT NOT NULL,
confidence FLOAT NOT NULL,
supersedes TEXT NOT NULL,
evidence TEXT NOT NULL,
kind VARCHAR NOT NULL,
about VARCHAR,
digest VARCHAR NOT NULL,
PRIMARY KEY (owner, memory_id)
);
INSERT INTO "cards" VALUES('user:ana','mem_00000000000000000000000000000003','ana',NULL,NULL,'t1','fact','退款需要三天','user','[]','2026-02-28T16:30:00+00:00','active','all',1,'short','','','','[]',1772296200000000,NULL,NULL,1.0,1.0,'["mem_00000000000000000000000000000002"]','[]','fact',NULL,'df81a8a5596c6aa4f2e57aef4fb7f35dd6dff98dd23231610e776fb3040bc86f');
INSERT INTO "cards" VALUES('user:ana','mem_00000000000000000000000000000002','ana',NULL,NULL,'t1','fact','Refunds take 7 working days','user','[]','2026-02-28T16:30:00+00:00','superseded','all',2,'short','shop','refund','','[]',1772296200000000,NULL,NULL,1.0,1.0,'[]','[]','fact',NULL,'7291e25a18d2be56f4106d8fc5599b7b89940149092fc9699e525cb6fa16e102');
CREATE TABLE denials (
id INTEGER NOT NULL,
owner VARCHAR NOT NULL,
user VARCHAR,
team VARCHAR,
agent VARCHAR,
thread VARCHAR,
role VARCHAR NOT NULL,
wanted VARCHAR NOT NULL,
tier VARCHAR NOT NULL,
at BIGINT NOT NULL,
PRIMARY KEY (id)
);
CREATE TABLE events (
seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
event_id VARCHAR NOT NULL,
owner VARCHAR NOT NULL,
user VARCHAR,
team VARCHAR,
agent VARCHAR,
thread VARCHAR,
parent VARCHAR,
step INTEGER NOT NULL,
actor VARCHAR NOT NULL,
action VARCHAR NOT NULL,
phase VARCHAR,
thought TEXT NOT NULL,
arguments TEXT,
observation TEXT NOT NULL,
at BIGINT NOT NULL,
zone VARCHAR NOT NULL,
"key" VARCHAR,
UNIQUE (owner, event_id),
UNIQUE (owner, "key")
);
INSERT INTO "events" VALUES(1,'evt_00000000000000000000000000000001','user:ana','ana',NULL,NULL,'t1',NULL,0,'user','request',NULL,'',NULL,'is the kiln free 下周三',1772296200000000,'UTC',NULL);
CREATE TABLE index_work (
id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
owner VARCHAR NOT NULL,
ref VARCHAR NOT NULL,
kind VARCHAR NOT NULL,
tier VARCHAR NOT NULL,
work VARCHAR NOT NULL,
size INTEGER NOT NULL,
UNIQUE (owner, ref)
);
INSERT INTO "index_work" VALUES(1,'user:ana','evt_00000000000000000000000000000001','event','working','add',1);
INSERT INTO "index_work" VALUES(2,'user:ana','mem_00000000000000000000000000000002','card','short','add',1);
INSERT INTO "index_work" VALUES(3,'user:ana','mem_00000000000000000000000000000003','card','short','add',1);
CREATE TABLE lexical_stats (
owner VARCHAR NOT NULL,
passages INTEGER NOT NULL,
tokens INTEGER NOT NULL,
PRIMARY KEY (owner)
);
CREATE TABLE meta (
"key" VARCHAR NOT NULL,
value TEXT NOT NULL,
PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('schema_version','3');
CREATE TABLE passages (
id INTEGER NOT NULL,
owner VARCHAR NOT NULL,
ref VARCHAR NOT NULL,
kind VARCHAR NOT NULL,
start INTEGER NOT NULL,
length INTEGER NOT NULL,
tokens INTEGER NOT NULL,
PRIMARY KEY (id)
);
CREATE TABLE precipitation_queue (
id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
owner VARCHAR NOT NULL,
user VARCHAR,
team VARCHAR,
agent VARCHAR,
thread VARCHAR,
"key" VARCHAR NOT NULL,
event_ids TEXT NOT NULL,
reason VARCHAR NOT NULL,
text TEXT NOT NULL,
state VARCHAR NOT NULL,
attempts INTEGER NOT NULL,
note TEXT NOT NULL,
at BIGINT NOT NULL,
claimed_at BIGINT,
UNIQUE (owner, "key")
);
INSERT INTO "precipitation_queue" VALUES(1,'user:ana','ana',NULL,NULL,'t1','e6c155625664071b17044eea40a1612468e7a4f41aa5df863896b9cb52d9bcda','["evt_00000000000000000000000000000001"]','session_closed','','queued',0,'',1772296200000000,NULL);
CREATE TABLE reembedding (id INTEGER NOT NULL, owner VARCHAR NOT NULL, ref VARCHAR NOT NULL, work VARCHAR NOT NULL, PRIMARY KEY (id), UNIQUE (owner, ref));
CREATE TABLE revisions (
owner VARCHAR NOT NULL,
events INTEGER NOT NULL,
cards INTEGER NOT NULL,
PRIMARY KEY (owner)
);
INSERT INTO "revisions" VALUES('user:ana',1,4);
CREATE TABLE task_parts (
owner VARCHAR NOT NULL,
ref VARCHAR NOT NULL,
body TEXT NOT NULL,
PRIMARY KEY (owner, ref)
);
CREATE TABLE task_states (
owner VARCHAR NOT NULL,
thread VARCHAR NOT NULL,
user VARCHAR,
team VARCHAR,
agent VARCHAR,
task_id VARCHAR NOT NULL,
finished INTEGER NOT NULL,
head VARCHAR,
step INTEGER NOT NULL,
state TEXT NOT NULL,
at BIGINT NOT NULL,
PRIMARY KEY (owner, thread)
);
CREATE TABLE tombstones (
owner VARCHAR NOT NULL,
memory_id VARCHAR NOT NULL,
digest VARCHAR NOT NULL,
role VARCHAR NOT NULL,
at BIGINT NOT NULL,
PRIMARY KEY (owner, memory_id)
);
CREATE INDEX events_by_thread ON events (owner, thread, seq);
CREATE INDEX events_by_time ON events (owner, at);
CREATE INDEX events_by_parent ON events (owner, parent);
CREATE INDEX cards_by_digest ON cards (owner, digest);
CREATE INDEX cards_by_time ON cards (owner, at);
CREATE INDEX cards_by_subject ON cards (owner, subject, attribute);
CREATE INDEX tombstones_by_digest ON tombstones (owner, digest);
CREATE INDEX open_tasks ON task_states (owner, finished, at);
CREATE INDEX queue_by_state ON precipitation_queue (owner, state, id);
CREATE INDEX denials_by_owner ON denials (owner, id);
CREATE INDEX passages_by_ref ON passages (owner, ref);
CREATE INDEX index_work_by_size ON index_work (owner, work, size);
CREATE INDEX reembedding_by_work ON reembedding (work, owner);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',1);
INSERT INTO "sqlite_sequence" VALUES('index_work',3);
INSERT INTO "sqlite_sequence" VALUES('precipitation_queue',1);

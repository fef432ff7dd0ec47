"""What a run did, node by node: followed through LangChain's callbacks, written to files or to OpenTelemetry."""

"""Distilling: documents become linked long-term cards, each with the sentence it rests on."""

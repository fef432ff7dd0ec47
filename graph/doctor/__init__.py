"""What ``memory-secretary doctor`` looks at: each check is a function that returns findings, and none stops another."""

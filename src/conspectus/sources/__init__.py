"""Where candidates come from: each source owns one kind of durable state and offers it as items; none knows another."""

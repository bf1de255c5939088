"""One walk from request to payload; pure stages that know neither sources nor providers."""

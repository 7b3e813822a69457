"""Other packages' names on this engine: moving over is one changed import."""

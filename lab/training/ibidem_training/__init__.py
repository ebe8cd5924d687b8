"""Makes, trains, measures and exports the verifier and the reader."""

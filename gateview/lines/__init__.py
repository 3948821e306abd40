"""What the screens and the plain output say, as lines of spans: pure, and without a terminal."""

{ a: 1, b: error "stopped at b", c: self.b }

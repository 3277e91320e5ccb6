debug = true

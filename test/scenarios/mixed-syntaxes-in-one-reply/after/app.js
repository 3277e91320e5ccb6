debug = config.debug

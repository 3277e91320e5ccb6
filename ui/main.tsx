import { render } from 'preact'
import './main.css'
import { App } from './app.tsx'
import { connect } from './connection.ts'
import { listenToKeys } from './keys.ts'

// The token has done its work; it need not stand in the address bar.
if (location.search !== '') history.replaceState(null, '', '/')

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
void connect()
listenToKeys()

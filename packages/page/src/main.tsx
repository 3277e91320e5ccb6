import { render } from 'preact'
import './main.css'
import { App } from './app.tsx'
import { followBackButton } from './back-button.ts'
import { connect } from './connection.ts'
import { listenToKeys } from './shortcuts.ts'

// The token was used: it is removed from the address bar.
if (location.pathname !== '/' || location.search !== '') history.replaceState(null, '', '/')

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
void connect()
listenToKeys()
followBackButton()

/** The parts of the browsers' extension interface that are used here; Firefox knows it by the same name. */
declare namespace chrome {
  interface Listened<Heard extends (...args: never[]) => unknown> {
    addListener(heard: Heard): void
  }

  interface Sender {
    readonly id?: string
    readonly url?: string
    readonly frameId?: number
    readonly tab?: Tab
  }

  interface Tab {
    readonly id?: number
    readonly url?: string
    readonly windowId: number
  }

  namespace runtime {
    const id: string
    const onInstalled: Listened<() => void>
    const onStartup: Listened<() => void>
    const onMessage: Listened<
      (message: unknown, sender: Sender, respond: (answer: unknown) => void) => true | undefined
    >
    function getURL(path: string): string
    function sendMessage(message: unknown): Promise<unknown>
  }

  interface Area {
    get(key: string): Promise<Record<string, unknown>>
    set(values: Record<string, unknown>): Promise<void>
    remove(key: string): Promise<void>
    setAccessLevel?(level: { accessLevel: 'TRUSTED_CONTEXTS' }): Promise<void>
  }

  namespace storage {
    const local: Area
    const session: Area & {
      readonly onChanged: Listened<(changes: Record<string, { readonly newValue?: unknown }>) => void>
    }
  }

  /** Chromium only. */
  const sidePanel: { open(place: { windowId: number }): Promise<void> } | undefined

  /** Firefox only. */
  const sidebarAction: { open(): Promise<void> } | undefined

  namespace tabs {
    function get(tab: number): Promise<Tab>
    function query(query: { active?: boolean; lastFocusedWindow?: boolean; url?: string }): Promise<Tab[]>
    function create(properties: { url: string }): Promise<Tab>
    function update(tab: number, properties: { active?: boolean; url?: string }): Promise<Tab>
    function sendMessage(tab: number, message: unknown, options: { frameId: number }): Promise<unknown>
  }

  interface Window {
    readonly id?: number
    readonly left?: number
    readonly top?: number
    readonly width?: number
    readonly height?: number
  }

  namespace windows {
    function get(window: number): Promise<Window>
    function getCurrent(): Promise<Window>
    function create(properties: {
      url: string
      type: 'popup'
      left: number
      top: number
      width: number
      height: number
    }): Promise<Window>
    function update(window: number, properties: { focused: boolean }): Promise<unknown>
  }

  namespace permissions {
    function request(wanted: { origins: string[] }): Promise<boolean>
    function contains(wanted: { origins: string[] }): Promise<boolean>
    function remove(unwanted: { origins: string[] }): Promise<boolean>
  }

  interface PageScript {
    id: string
    js: string[]
    matches: string[]
    runAt: 'document_idle'
    world: 'ISOLATED'
    allFrames: false
    persistAcrossSessions: boolean
  }

  namespace scripting {
    function registerContentScripts(scripts: PageScript[]): Promise<void>
    function unregisterContentScripts(filter: { ids: string[] }): Promise<void>
    function getRegisteredContentScripts(): Promise<{ id: string }[]>
    function executeScript(injection: {
      target: { tabId: number }
      files: string[]
      world: 'ISOLATED'
    }): Promise<unknown>
  }

  /** Chromium only; Firefox has a property of elements. */
  const dom: { openOrClosedShadowRoot(element: Element): ShadowRoot | null } | undefined
}

interface Element {
  /** Firefox only, in scripts of extensions. */
  readonly openOrClosedShadowRoot?: ShadowRoot | null
}

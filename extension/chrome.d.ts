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
    const session: Area
  }

  namespace tabs {
    function get(tab: number): Promise<Tab>
    function query(query: { active?: boolean; lastFocusedWindow?: boolean; url?: string }): Promise<Tab[]>
    function create(properties: { url: string }): Promise<Tab>
    function update(tab: number, properties: { active?: boolean; url?: string }): Promise<Tab>
    function sendMessage(tab: number, message: unknown, options: { frameId: number }): Promise<unknown>
  }

  namespace windows {
    function create(properties: { url: string; type: 'popup'; width: number; height: number }): Promise<{ id?: number }>
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
    runAt: 'document_start' | 'document_idle'
    world: 'ISOLATED' | 'MAIN'
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
      world: 'ISOLATED' | 'MAIN'
    }): Promise<unknown>
  }

  /** Chromium only; Firefox has a property of elements. */
  const dom: { openOrClosedShadowRoot(element: Element): ShadowRoot | null } | undefined
}

interface Element {
  /** Firefox only, in scripts of extensions. */
  readonly openOrClosedShadowRoot?: ShadowRoot | null
}

interface IntersectionObserverInit {
  trackVisibility?: boolean
  delay?: number
}

interface IntersectionObserverEntry {
  readonly isVisible?: boolean
}

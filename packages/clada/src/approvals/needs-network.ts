/** Commands that are of no use without the network, as far as is known: for these it is asked about. */
const fetching =
  /^(?:(?:npm|pnpm|bun) (?:i|install|ci|add|update|upgrade|audit|outdated)\b|yarn$|yarn (?:install|add|up|upgrade)\b|pip3? install |python[\d.]* -m pip install |uv (?:sync|add|pip install|lock)\b|poetry (?:install|add|update)\b|pipenv (?:install|sync)\b|cargo (?:fetch|add|install|update)\b|go (?:mod (?:download|tidy)|get|install)\b|bundle install\b|gem install |composer (?:install|require|update)\b|npx |bunx |pnpx |uvx |mvn |gradle |(?:\.\/)?(?:gradlew|mvnw) |git (?:fetch|pull|push|clone|ls-remote)\b)/

/** What tells such a command to go without. */
const offline = new Set(['--offline', '--no-index', '--no-install'])

/** A guess for the question only: nothing is allowed or refused by it. */
export const wantsNetwork = (words: readonly string[]): boolean =>
  !words.some((word) => offline.has(word) || (word === '-o' && words[0] === 'mvn')) &&
  (fetching.test(words.join(' ')) || fetching.test(`${words.join(' ')} `))

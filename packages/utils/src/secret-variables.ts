/** Tells variables that look like secrets: no command, hook or server gets them unless the user names them. */
import { onDispose } from "./dispose.ts";
import type { Env } from "./env.ts";
import { maskTokens } from "./mask.ts";
import { isProviderKey } from "./provider-keys.ts";

/** What the name ends with: `TOKENIZERS_PARALLELISM` and `API_KEY_FILE` are none. */
const secretName =
	/(?:^|_)(?:TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|PAT|APIKEY|CREDENTIALS?|COOKIES?|AUTH|WEBHOOK(?:_URL)?|(?:API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|MASTER|AUTH|SERVICE|ACCOUNT|DEPLOY|LICENSE|SERVICE_ROLE|WEBHOOK)_KEY)$|(?:PASSWORD|PASSWD|PASSPHRASE|AUTHTOKEN|APIKEY)$/i;
/** Directories of the shell, and addresses of proxies, which programs cannot do without. */
const plainName = /^(?:PWD|OLDPWD|(?:HTTP|HTTPS|ALL|FTP|NO)_PROXY)$/i;
/** A path, a number or a switch is no secret, whatever its name. */
const plainValue = /^(?:\d{0,9}|true|false|yes|no|on|off|none|null|[~.]?\.?\/[^\s:@]*)$/i;
/** `postgres://user:password@host/name`. */
const passwordInUrl = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/** Of each open session: the names that its user passes on, with `*` for anything. */
const passed = new Set<() => readonly string[]>();

/** The names are asked for at each start of a program, until the result is disposed of. */
export function passVariables(names: () => readonly string[]): Disposable {
	passed.add(names);
	return onDispose(() => passed.delete(names));
}

/** The environment without secrets, for programs that a model, a project or an extension runs. */
export function withoutSecrets(env: Env): Record<string, string> {
	const rules = [...passed].flatMap((names) => names());
	const isKept = (name: string, value: string): boolean =>
		(!isProviderKey(name) && !isSecret(name, value)) || isPassed(name, rules);
	return entriesOf(env, isKept);
}

/** The secrets that no rule passes on and a shell can have, without keys of model and search providers. */
export function withheldSecrets(env: Env): Record<string, string> {
	const rules = [...passed].flatMap((names) => names());
	return entriesOf(
		env,
		(name, value) =>
			/^[A-Za-z_]\w*$/.test(name) && !isProviderKey(name) && isSecret(name, value) && !isPassed(name, rules),
	);
}

/** All of them, regardless of who may get them. */
export function secretsOf(env: Env): Record<string, string> {
	return entriesOf(env, (name, value) => isProviderKey(name) || isSecret(name, value));
}

function entriesOf(env: Env, isWanted: (name: string, value: string) => boolean): Record<string, string> {
	const entries = Object.entries(env).filter(
		(entry): entry is [string, string] => entry[1] !== undefined && isWanted(entry[0], entry[1]),
	);
	return Object.fromEntries(entries);
}

function isSecret(name: string, value: string): boolean {
	if (plainName.test(name) || plainValue.test(value)) return false;
	return secretName.test(name) || passwordInUrl.test(value) || maskTokens(value) !== value;
}

/** The key of a provider is passed on by its whole name alone. */
function isPassed(name: string, rules: readonly string[]): boolean {
	return rules.some((rule) => {
		if (!rule.includes("*")) return rule === name;
		return !isProviderKey(name) && new Bun.Glob(rule).match(name);
	});
}

/** Where ssh connects to: as the user writes it, and as options of OpenSSH. */
import { expandHome } from "@tau/utils";

export interface SshDestination {
	/** For users and messages: the name in ssh.json or in OpenSSH's configuration, or `user@host`. */
	readonly name: string;
	/** What OpenSSH is given; its own configuration may give it another meaning. */
	readonly host: string;
	readonly user?: string | undefined;
	readonly port?: number | undefined;
	readonly keyPath?: string | undefined;
	readonly description?: string | undefined;
	/** The file that names it. */
	readonly source?: string | undefined;
}

export interface SshAddress {
	readonly destination: string;
	/** Absolute, or relative to the home directory there; absent for the home directory. */
	readonly path?: string;
}

/** Not the name of an option, and nothing that OpenSSH or a shell would expand. */
const hostSyntax = /^[A-Za-z0-9_.:%[\]][\w.:%@[\]-]*$/;

/** `ssh:host`, `ssh:user@host:/path`, `ssh:host:~/path`, `ssh:[::1]:/path`. Undefined if it is none. */
export function parseAddress(text: string): SshAddress | undefined {
	const match = /^ssh:(?:\/\/)?((?:[^@/:[\]]+@)?(?:\[[0-9A-Fa-f:.]+\]|[^@/:[\]]+))(?::?(.*))?$/s.exec(text);
	const [, destination = "", path = ""] = match ?? [];
	if (!isHostName(destination)) return undefined;
	return { destination, ...(path === "" ? {} : { path }) };
}

export function isHostName(text: string): boolean {
	return text.length <= 255 && hostSyntax.test(text);
}

/** A destination that only the user may name, as on the command line. */
export function namedDestination(text: string): SshDestination {
	const at = text.lastIndexOf("@");
	const host = text.slice(at + 1).replace(/^\[(.*)\]$/, "$1");
	return { name: text, host, ...(at > 0 ? { user: text.slice(0, at) } : {}) };
}

export function destinationOptions(
	{ user, port, keyPath }: SshDestination,
	home: string | undefined,
): string[] {
	return [
		...(user === undefined ? [] : ["-l", user]),
		...(port === undefined ? [] : ["-p", String(port)]),
		...(keyPath === undefined ? [] : ["-i", expandHome(keyPath, home)]),
	];
}

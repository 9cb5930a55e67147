/** Finds the ports of this machine that a command tried in vain, in what it printed and in its own text. */

interface Ran {
	readonly output: string;
	readonly command: string;
	/** Whether a client that printed nothing counts, too. */
	readonly mayBeSilent: boolean;
}

/** The part of the output that is searched, from its end. */
const searchedChars = 20_000;
/** A command tries one or two services. */
const mostPorts = 4;

const refused =
	/connection refused|ECONNREFUSED|ConnectionRefused|failed to connect|couldn't connect|could not connect|can't connect|unable to connect|actively refused|no response$/i;
const loopback = String.raw`(?:127\.\d+\.\d+\.\d+|localhost|\[?::1\]?|0\.0\.0\.0)`;
/**
 * `127.0.0.1:5432`, `localhost port 5432`, `"127.0.0.1", port 5432`, `('localhost', 5432)`, `127.0.0.1 5432`,
 * `/dev/tcp/127.0.0.1/5432`.
 */
const addressed = new RegExp(String.raw`${loopback}["'\s,):]*(?:\(?port[\s=:]*|:|\s|/)\s*(\d{2,5})\b`, "gi");
const portOption = /(?:--?p(?:ort)?[\s=]*|\bport["']?\s*[=:]\s*|PORT=)(\d{2,5})\b/gi;

/** Clients that may fail in silence, with the port that each connects to by default. */
const clients: readonly (readonly [name: RegExp, port?: number])[] = [
	[/(?:^|[\s;&|(])(?:curl|wget|https?|nc|ncat|telnet)\s/],
	[/(?:^|[\s;&|(])(?:psql|pg_isready|pg_dump|createdb)\b/, 5432],
	[/(?:^|[\s;&|(])redis-cli\b/, 6379],
	[/(?:^|[\s;&|(])(?:mysql|mysqladmin|mysqldump|mariadb)\b/, 3306],
	[/(?:^|[\s;&|(])(?:mongosh|mongo|mongodump)\b/, 27_017],
];

export function refusedPorts({ output, command, mayBeSilent }: Ran): number[] {
	const lines = output
		.slice(-searchedChars)
		.split("\n")
		.filter((line) => refused.test(line));
	const printed = lines.flatMap((line) => portsIn(line, addressed));
	const isRefused = lines.length > 0;
	const named = isRefused || mayBeSilent ? portsOfCommand(command, isRefused) : [];
	const found = printed.length > 0 ? printed : named;
	return [...new Set(found)].filter((port) => port > 0 && port <= 65_535).slice(0, mostPorts);
}

/** Without a line that names the port, the command does: as an address, or as an option beside a refusal. */
function portsOfCommand(command: string, isRefused: boolean): number[] {
	const used = clients.filter(([name]) => name.test(command));
	if (!isRefused && used.length === 0) return [];
	const named = portsIn(command, addressed);
	if (named.length > 0 || !isRefused) return named;
	const options = portsIn(command, portOption);
	return options.length > 0 ? options : used.flatMap(([, port]) => port ?? []);
}

function portsIn(text: string, pattern: RegExp): number[] {
	return [...text.matchAll(pattern)].map(([, port]) => Number(port));
}

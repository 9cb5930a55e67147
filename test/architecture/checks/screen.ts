/** The interactive mode draws a session that may run elsewhere: it knows a `SessionClient`, and no part of a session. */
import { readModules } from "../modules.ts";
import { isProduct } from "../paths.ts";
import type { Problem } from "../problem.ts";

const home = "packages/interactive/src/";
/** Settings about the screen are those of its own process. */
const settings = "@tau/config/settings";
/** Their commands become rows below the screen; until then they work on a session of this process. */
const open = ["commands/", "selectors/"];

/** What files still import of a session. Entries are only ever removed. */
const left: Readonly<Record<string, readonly string[]>> = {
	// Names the objects that a session in this process has, so that nobody else has to.
	"local-parts.ts": [
		"@tau/session",
		"@tau/session/host",
		"@tau/session/run",
		"@tau/config/models",
		"@tau/log",
	],
	// Reads entries, whose format the log owns.
	"history.ts": ["@tau/log"],
	"entry-message.ts": ["@tau/log"],
	"status-model.ts": ["@tau/config/models", "@tau/session/policy"],
	// Terminals of commands are shown only where the session runs.
	"terminal-viewer.ts": ["@tau/session/host"],
	// Before there is a session.
	"first-run/local-servers.ts": ["@tau/config/models", "@tau/config/models/discovery"],
	"first-run/wizard.ts": ["@tau/config/models/discovery"],
};

export async function screen(root: string): Promise<Problem[]> {
	const modules = await readModules(root);
	const used = new Set<string>();
	const problems = modules.flatMap(({ path, links }): Problem[] => {
		const file = path.startsWith(home) && isProduct(path) ? path.slice(home.length) : undefined;
		if (file === undefined || open.some((folder) => file.startsWith(folder))) return [];
		return links.flatMap(({ specifier, line }) => {
			if (!isOfSession(specifier)) return [];
			if (left[file]?.includes(specifier)) {
				used.add(`${file} ${specifier}`);
				return [];
			}
			const message = `imports "${specifier}": the screen may draw a session of another process, so read \`client.view\` and send commands (@tau/wire)`;
			return [{ file: path, line, message }];
		});
	});
	const known = new Set(modules.map(({ path }) => path));
	return [...problems, ...stale(known, used)];
}

function isOfSession(specifier: string): boolean {
	return specifier !== settings && /^@tau\/(?:session|log|config)(?:\/|$)/.test(specifier);
}

function stale(known: ReadonlySet<string>, used: ReadonlySet<string>): Problem[] {
	return Object.entries(left).flatMap(([file, specifiers]) =>
		specifiers
			.filter((specifier) => known.has(home + file) && !used.has(`${file} ${specifier}`))
			.map((specifier) => ({
				file: home + file,
				message: `no longer imports "${specifier}": remove it from the list in test/architecture/checks/screen.ts`,
			})),
	);
}

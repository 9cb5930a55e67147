/** The interactive mode draws a session that may run elsewhere: it knows a `SessionClient`, and no part of a session. */
import { readModules } from "../modules.ts";
import { isProduct } from "../paths.ts";
import type { Problem } from "../problem.ts";

const home = "packages/interactive/src/";
/** Settings about the screen are those of its own process. */
const settings = "@tau/config/settings";
/** What files import of a session all the same. */
const left: Readonly<Record<string, readonly string[]>> = {
	// Sessions that no process has open are files of the user.
	"commands/resume.ts": ["@tau/log"],
	"selectors/sessions/choose.ts": ["@tau/log"],
	"selectors/sessions/preview.ts": ["@tau/log"],
	"selectors/sessions/selector.ts": ["@tau/log"],
	"selectors/sessions/session-rows.ts": ["@tau/log"],
	"selectors/sessions/text-search.ts": ["@tau/log"],
};

export async function screen(root: string): Promise<Problem[]> {
	const modules = await readModules(root);
	const used = new Set<string>();
	const problems = modules.flatMap(({ path, links }): Problem[] => {
		const file = path.startsWith(home) && isProduct(path) ? path.slice(home.length) : undefined;
		if (file === undefined) return [];
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

/** Turns a search into the arguments of ripgrep. */
import type { SearchOptions } from "./types.ts";

/** The name of the file type that a glob is made into. */
const globType = "tauglob";

export function ripgrepArguments(options: SearchOptions): string[] {
	const { hidden = true, gitignore = true, nodeModules = true, types = [], globs = [] } = options;
	const args = ["--json", "--no-config", options.ignoreCase ? "--ignore-case" : "--case-sensitive"];
	// What the default engine cannot do (lookaround, backreferences) is left to the other one.
	args.push(options.literal ? "--fixed-strings" : "--engine=auto");
	if (options.multiline) args.push("--multiline", "--multiline-dotall");
	if (options.before) args.push(`--before-context=${options.before}`);
	if (options.after) args.push(`--after-context=${options.after}`);
	if (options.maxPerFile) args.push(`--max-count=${options.maxPerFile}`);
	if (hidden) args.push("--hidden", "--glob=!.git");
	if (!gitignore) args.push("--no-ignore");
	if (!nodeModules) args.push("--glob=!node_modules");
	args.push(...types.map((type) => `--type=${type}`));
	const name = types.length === 0 ? nameFilter(globs) : undefined;
	if (name !== undefined) args.push(`--type-add=${globType}:${name}`, `--type=${globType}`);
	return [...args, `--regexp=${options.pattern}`, "--", ...options.paths];
}

/**
 * Ripgrep's own globs count before ignore files: `*.log` would find what nobody wants. File types do not, but know
 * only the last name. So a plain last name is a type, which spares reading the other files, and every file with a
 * match is compared with the whole glob afterwards.
 */
function nameFilter(globs: readonly string[]): string | undefined {
	for (const glob of globs) {
		if (glob.startsWith("!") || glob.endsWith("/")) continue;
		const name = glob.slice(glob.lastIndexOf("/") + 1);
		const isPlain = /^[\w.*-]*(?:\{[\w.-]+(?:,[\w.-]+)*\})?$/.test(name) && !/^\**$/.test(name);
		// A brace that was opened before the last slash goes on in the name.
		if (isPlain && !glob.slice(0, glob.length - name.length).includes("{")) return name;
	}
	return undefined;
}

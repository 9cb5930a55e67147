/** Shortens what programs print while all goes well: steps of installers, compilers and passing tests. */
import { limits } from "./limits.ts";

/** Lines of one kind, many of which say no more than a few. What fails or warns matches none of them. */
const noise: readonly RegExp[] = [
	/^\s*(?:Compiling|Checking|Downloaded|Downloading|Fresh|Adding|Locking|Unpacking|Installing|Documenting) [\w@./-]+ v?\d/,
	/^npm (?:warn|WARN) deprecated /,
	/^npm (?:http|timing|sill|silly|verb|info) /,
	/^(?:Progress: resolved |➤ YN0013|\S+ +\| +\+?\d+ [+░]+)/,
	/^\s*(?:Collecting|Downloading|Using cached|Obtaining dependency information for|Requirement already satisfied:|Building wheel for|Created wheel for|Preparing metadata)/,
	/^(?:Get|Hit|Ign):\d+ /,
	/^(?:Selecting previously unselected package|Preparing to unpack|Unpacking|Setting up|Processing triggers for) /,
	/^\(Reading database \.\.\. /,
	/^[0-9a-f]{12}: (?:Pulling fs layer|Waiting|Verifying Checksum|Download complete|Downloading|Extracting|Pull complete|Already exists)/,
	/^#\d+ (?:sha256:|extracting|transferring|\d+\.\d+ (?:Get|Hit|Selecting|Preparing|Unpacking|Setting up))/,
	/^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Unpacking|Updating) (?:objects|deltas|files): +\d+%/,
	/^go: downloading /,
	/^(?:=== RUN|=== PAUSE|=== CONT|\s*--- PASS:) /,
	/^ok {2}\t\S+\t(?:\(cached\)|[\d.]+s)/,
	/^\?\s+\S+\s+\[no test files\]/,
	/^\s*(?:✓|✔|√|\(pass\)) /,
	/^(?:ok \d+ |test \S+ \.\.\. ok$)/,
	/^\S+::\S+ PASSED/,
	/^PASS \S+\.[jt]sx?/,
	/^> Task :\S+( UP-TO-DATE| NO-SOURCE| FROM-CACHE)?$/,
	/^(?:\[INFO\] )?Download(?:ing|ed)(?: from)? \S+: /,
	/^\[\s*\d+(?:\/\d+|%)\]/,
	/^\s*\d+%[|█ ]/,
	/^\s*(?:create mode|delete mode|rename) /,
];

/** Lines that match are kept although they are of such a kind. */
const telling =
	/\b(?:error|errors|fail|failed|failure|failing|warning|panic|exception|denied|not found|conflict)\b/i;

/** Undefined if little would be gained: then nothing is changed. */
export function minimize(text: string): string | undefined {
	// The patterns take 0.6 ms until they are compiled, before the second request of a session.
	if (text.length < limits.minimizerSaved) return undefined;
	const lines = text.split("\n");
	const kept: string[] = [];
	let saved = 0;
	for (let at = 0; at < lines.length;) {
		const end = endOfRun(lines, at);
		const left = end - at - limits.minimizerShown;
		if (left < limits.minimizerRun) kept.push(...lines.slice(at, end));
		else {
			const shown = lines.slice(at, at + limits.minimizerShown);
			kept.push(...shown, `[… ${left} more lines like these]`);
			for (const line of lines.slice(at + limits.minimizerShown, end)) saved += line.length;
		}
		at = end;
	}
	return saved < limits.minimizerSaved ? undefined : kept.join("\n");
}

/** The index behind the lines of the same kind that start here, at least one line on. */
function endOfRun(lines: readonly string[], start: number): number {
	const kind = kindOf(lines[start] ?? "");
	let end = start + 1;
	if (kind !== undefined) while (end < lines.length && kindOf(lines[end] ?? "") === kind) end++;
	return end;
}

function kindOf(line: string): RegExp | undefined {
	// Long lines are output, not progress.
	if (line.length > limits.minimizerLine || telling.test(line)) return undefined;
	return noise.find((pattern) => pattern.test(line));
}

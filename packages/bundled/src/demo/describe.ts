/** "what is in this project": lists it, reads its README and manifests, summarizes. */
import { limits } from "./limits.ts";
import { readManifest, type Manifest } from "./manifest.ts";
import { bash, read, say, type Step, think } from "./step.ts";
import { code, failureText, filePart, firstOf, list, paragraphs, plural, sentence } from "./text.ts";
import describeThinking from "./texts/describe-thinking.md" with { type: "text" };
import type { Outcome, Turn } from "./turn.ts";

export const listCommand = `ls -la | head -n ${limits.listedEntries}`;

/** Silent where there is no repository or no commit yet: that is no failure. */
const logCommand =
	'if git rev-parse -q --verify HEAD >/dev/null 2>&1; then git --no-pager log --oneline -n 1; else echo "no commits"; fi';

/** Prints every file that belongs to the project: in a repository what git does not ignore. */
export const projectFiles =
	"{ git -c core.quotepath=off ls-files -co --exclude-standard 2>/dev/null || " +
	`find . -maxdepth ${limits.countedDepth} -type f ! -path '*/.git/*' ! -path '*/node_modules/*' 2>/dev/null; } | head -n ${limits.countedFiles}`;

const endingsCommand = `${projectFiles} | sed -n 's/.*\\.\\([A-Za-z0-9_]\\{1,12\\}\\)$/\\1/p' | sort | uniq -c | sort -rn | head -n 20`;

export function describe(turn: Turn): Step {
	const [looks, reads = []] = turn.rounds;
	const [listed, log, counted] = looks ?? [];
	if (!listed) {
		const looking = [listCommand, logCommand, endingsCommand].map(bash);
		return [think(describeThinking), say("Let me look around."), ...looking];
	}
	if (listed.failed) return [say(failureText(listed))];
	const entries = readListing(listed.text);
	const files = worthReading(entries);
	const canRead = turn.tools.has("read");
	if (reads.length === 0 && files.length > 0 && canRead) {
		const calls = files.map((file) => read(file, isReadme(file) ? { limit: limits.readmeLines } : {}));
		return [say(`I will read ${files.map(code).join(", ")}.`), ...calls];
	}
	const missed =
		files.length > 0 && !canRead
			? [`${files.map(code).join(", ")} not read: there is no ${code("read")} tool`]
			: [];
	return [say(summary(entries, { log, counted, reads, missed }))];
}

export interface Entry {
	name: string;
	folder: boolean;
}

// Mode, links, owner, group, size; then a date in the form of some locale; then the name, whatever it contains.
const day = String.raw`(?:\p{L}{2,5}\.?\s+\d{1,2}\.?|\d{1,2}\.?\s+\p{L}{2,5}\.?|(?:\d{4}-)?\d{2}-\d{2})`;
const time = String.raw`(?:\d{1,2}:\d{2}\S*(?:\s[+-]\d{4})?|\d{4})`;
const line = new RegExp(String.raw`^([-dlbcpsD])[-\w.+@]{9,11}\s+\d+\s.*?\s${day}\s+${time}\s(.+)$`, "u");

/** The entries of a folder, from what `ls -la` prints. */
export function readListing(text: string): Entry[] {
	return text.split("\n").flatMap((row) => {
		const [, kind, shown = ""] = line.exec(row) ?? [];
		const name = kind === "l" ? (shown.split(" -> ")[0] ?? "") : shown;
		return ["", ".", ".."].includes(name) ? [] : { name, folder: kind === "d" };
	});
}

export function isReadme(file: string): boolean {
	return /^readme(?:\.(?:md|markdown|txt|rst))?$/i.test(file);
}

const manifestFiles = ["package.json", "Cargo.toml", "pyproject.toml", "go.mod", "Makefile"] as const;

export function manifestsIn(entries: readonly Entry[]): string[] {
	return manifestFiles.filter((file) => entries.some(({ name, folder }) => !folder && name === file));
}

function worthReading(entries: readonly Entry[]): string[] {
	const files = entries.filter(({ folder }) => !folder).map(({ name }) => name);
	const readmes = files.filter(isReadme).toSorted((a, b) => a.length - b.length);
	return [...readmes.slice(0, 1), ...manifestsIn(entries)];
}

interface Looked {
	log: Outcome | undefined;
	counted: Outcome | undefined;
	reads: readonly Outcome[];
	/** What could not be read, and why. */
	missed: readonly string[];
}

function summary(entries: readonly Entry[], { log, counted, reads, missed }: Looked): string {
	const texts = reads
		.filter(({ failed }) => !failed)
		.map(({ arguments: { path }, text }) => ({ file: String(path), lines: filePart(text).lines }));
	const readme = readReadme(texts.find(({ file }) => isReadme(file))?.lines ?? []);
	const all = texts
		.filter(({ file }) => !isReadme(file))
		.map(({ file, lines }) => ({
			file,
			found: readManifest(
				file,
				lines.join("\n"),
				entries.map(({ name }) => name),
			),
		}));
	const manifests = all.flatMap(({ file, found }) => (found ? [{ ...found, file }] : []));
	const problems = [
		...missed,
		...[log, counted, ...reads].flatMap((outcome) => (outcome?.failed ? shortFailure(outcome) : [])),
		...all.filter(({ found }) => !found).map(({ file }) => `${code(file)} is malformed`),
	];
	const trouble = problems.length === 0 ? undefined : `Problems along the way:\n\n${list(problems)}`;
	if (entries.length === 0) return paragraphs("This folder is empty.", trouble);
	const name = manifests.find((each) => each.name !== undefined)?.name ?? readme.title;
	const about = manifests.find((each) => each.description !== undefined)?.description ?? readme.opening;
	return paragraphs(
		`## ${name === undefined ? "This project" : sentence(name)}`,
		about === undefined ? "I found no description of this project." : sentence(about),
		list([...languages(counted), contents(entries), ...facts(manifests), ...commitOf(log)]),
		start(readme.commands, manifests),
		trouble,
	);
}

function shortFailure({ tool, arguments: args, text }: Outcome): string {
	return `${code(tool)} of ${code(String(args.path ?? args.command))} failed: ${sentence(text)}`;
}

/** Each language with the endings of its files. */
const languageRows = [
	"TypeScript ts tsx",
	"JavaScript js jsx mjs",
	"Python py",
	"Rust rs",
	"Go go",
	"C c h",
	"C++ cc cpp hpp",
	"C# cs",
	"Java java",
	"Kotlin kt",
	"Swift swift",
	"Ruby rb",
	"PHP php",
	"Lua lua",
	"Haskell hs",
	"Elixir ex exs",
	"Scala scala",
	"Zig zig",
	"Dart dart",
	"Shell sh",
	"SQL sql",
	"Vue vue",
	"HTML html",
	"CSS css scss",
	"Markdown md",
	"JSON json",
	"YAML yml yaml",
];
const languageOf: ReadonlyMap<string, string> = new Map(
	languageRows
		.map((row) => row.split(" "))
		.flatMap(([name = "", ...endings]) => endings.map((ending) => [ending, name] as const)),
);

/** From lines of `uniq -c`, most files first. */
function languages(counted: Outcome | undefined): string[] {
	const counts = new Map<string, number>();
	for (const row of counted && !counted.failed ? counted.text.split("\n") : []) {
		const [, count, ending = ""] = /^\s*(\d+) (\S+)$/.exec(row) ?? [];
		const name = languageOf.get(ending.toLowerCase());
		if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(count));
	}
	const named = [...counts]
		.toSorted((a, b) => b[1] - a[1])
		.slice(0, limits.listedLanguages)
		.map(([name, files]) => `${name} (${plural(files, "file")})`);
	return named.length === 0 ? [] : [`**Languages:** ${named.join(", ")}`];
}

/** Folders that say nothing about a project. */
const unsaid: ReadonlySet<string> = new Set([".git", "node_modules"]);

function contents(entries: readonly Entry[]): string {
	const folders = entries.filter(({ name, folder }) => folder && !unsaid.has(name));
	const files = plural(entries.filter(({ folder }) => !folder).length, "file");
	if (folders.length === 0) return `**Contents:** ${files}, no folders`;
	const shown = firstOf(
		folders.map(({ name }) => `${name}/`),
		limits.listedFolders,
	);
	return `**Folders:** ${shown}, plus ${files}`;
}

function facts(manifests: readonly (Manifest & { file: string })[]): string[] {
	const commands = manifests.flatMap((manifest) => manifest.commands);
	return [
		...(manifests.length > 0 ? [`**Manifests:** ${manifests.map(({ file }) => code(file)).join(", ")}`] : []),
		...(commands.length > 0 ? [`**Commands:** ${firstOf(commands, limits.listedScripts)}`] : []),
	];
}

function commitOf(log: Outcome | undefined): string[] {
	const [latest] =
		log && !log.failed ? log.text.split("\n").filter((row) => /^[0-9a-f]{4,40} /.test(row)) : [];
	return latest === undefined ? [] : [`**Last commit:** ${code(latest)}`];
}

/** The README's own text first: its author knows better than a manifest. */
function start(fromReadme: readonly string[], manifests: readonly Manifest[]): string | undefined {
	const commands = fromReadme.length > 0 ? fromReadme : manifests.flatMap((manifest) => manifest.start);
	if (commands.length === 0) return undefined;
	const source = fromReadme.length > 0 ? "from the README" : "from the manifests";
	return `**To start**, ${source}: ${commands.slice(0, limits.listedStartLines).map(code).join(", then ")}`;
}

interface Readme {
	title: string | undefined;
	opening: string | undefined;
	commands: string[];
}

/** What a README says first: its title, its first paragraph, its first commands. */
function readReadme(lines: readonly string[]): Readme {
	const blocks = lines.join("\n").split(/^\s*(?:```|~~~)/m);
	const prose = blocks.filter((_, at) => at % 2 === 0).flatMap((part) => part.split("\n"));
	const title = prose.map((row) => /^#\s+(.+?)\s*#*$/.exec(row)?.[1]).find((text) => text !== undefined);
	// Headings, badges, pictures, tables and HTML are not what a README has to say.
	const isText = (row: string): boolean =>
		row.trim() !== "" && !/^\s*(?:#|<|!\[|\[!|\||>|[-=*_]{3,}\s*$)/.test(row);
	const from = prose.findIndex(isText);
	const rest = from < 0 ? [] : prose.slice(from);
	const to = rest.findIndex((row) => !isText(row));
	const opening = rest.slice(0, to < 0 ? undefined : to).join(" ");
	const shell =
		blocks.find((part, at) => at % 2 === 1 && /^(?:sh|bash|shell|console|zsh)\b/i.test(part)) ?? "";
	const rows = shell
		.split("\n")
		.slice(1)
		.map((row) => row.trim());
	const prompted = rows.filter((row) => row.startsWith("$ ")).map((row) => row.slice(2));
	// If the prompt is shown, the other lines are output; elsewhere lines that do not start like a command are.
	const commands = prompted.length > 0 ? prompted : rows.filter((row) => /^[\w./~]/.test(row));
	return { title, opening: opening === "" ? undefined : opening, commands };
}

/** Summarizes a project from what the tools found out about it. */
import { limits } from "../limits.ts";
import { code, list, paragraphs, plural, sentence } from "../markdown.ts";
import type { Language } from "./languages.ts";
import type { Entry } from "./listing.ts";
import type { Manifest } from "./manifest.ts";
import type { Readme } from "./readme.ts";

export interface Findings {
	entries: readonly Entry[];
	languages: readonly Language[];
	/** The last commits, newest first, one a line. */
	commits: readonly string[];
	readme: Readme | undefined;
	manifests: readonly Manifest[];
	/** Files that could not be read, with the reason. */
	failures: readonly string[];
}

export function summary(findings: Findings): string {
	const { entries, manifests, readme } = findings;
	if (entries.length === 0) return paragraphs("This folder is empty.", trouble(findings));
	const name = first(manifests.map((manifest) => manifest.name)) ?? readme?.title;
	const description = first(manifests.map((manifest) => manifest.description)) ?? readme?.opening;
	return paragraphs(
		name === undefined ? "## This project" : `## ${sentence(name)}`,
		description === undefined ? "I found no description of this project." : sentence(description),
		list(
			[languages(findings), contents(findings), ...settings(findings)].filter((item) => item !== undefined),
		),
		start(findings),
		trouble(findings),
	);
}

function languages({ languages: all }: Findings): string | undefined {
	if (all.length === 0) return undefined;
	const named = all
		.slice(0, limits.listedLanguages)
		.map(({ name, files }) => `${name} (${plural(files, "file")})`);
	return `**Languages:** ${named.join(", ")}`;
}

/** Folders that say nothing about a project. */
const unsaid: ReadonlySet<string> = new Set([".git", "node_modules"]);

function contents({ entries }: Findings): string {
	const folders = entries
		.filter((entry) => entry.folder && !unsaid.has(entry.name))
		.map((entry) => code(`${entry.name}/`));
	const shown = folders.slice(0, limits.listedFolders).join(", ");
	const more =
		folders.length > limits.listedFolders ? ` and ${folders.length - limits.listedFolders} more` : "";
	const files = plural(entries.filter((entry) => !entry.folder).length, "file");
	return folders.length === 0
		? `**Contents:** ${files}, no folders`
		: `**Folders:** ${shown}${more}, plus ${files}`;
}

function settings({ manifests, commits }: Findings): string[] {
	const lines: string[] = [];
	const readable = manifests.filter((manifest) => !manifest.unreadable);
	if (readable.length > 0) lines.push(`**Manifests:** ${readable.map(({ file }) => code(file)).join(", ")}`);
	const commands = readable.flatMap((manifest) => manifest.commands);
	if (commands.length > 0) {
		const more =
			commands.length > limits.listedScripts ? ` and ${commands.length - limits.listedScripts} more` : "";
		lines.push(`**Commands:** ${commands.slice(0, limits.listedScripts).map(code).join(", ")}${more}`);
	}
	const [latest] = commits;
	if (latest !== undefined) lines.push(`**Last commit:** ${code(latest)}`);
	return lines;
}

/** The README's own text first: its author knows better than a manifest. */
function start({ readme, manifests }: Findings): string | undefined {
	const fromReadme = readme?.commands ?? [];
	const commands = fromReadme.length > 0 ? fromReadme : manifests.flatMap((manifest) => manifest.start);
	if (commands.length === 0) return undefined;
	const source = fromReadme.length > 0 ? "from the README" : "from the manifests";
	return `**To start**, ${source}: ${commands.slice(0, limits.listedStartLines).map(code).join(", then ")}`;
}

function trouble({ failures, manifests }: Findings): string | undefined {
	const broken = manifests
		.filter((manifest) => manifest.unreadable)
		.map(({ file }) => `${code(file)} is malformed`);
	const all = [...failures, ...broken];
	return all.length === 0 ? undefined : `Problems along the way:\n\n${list(all)}`;
}

function first(values: readonly (string | undefined)[]): string | undefined {
	return values.find((value) => value !== undefined);
}

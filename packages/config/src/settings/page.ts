/** Generates the page about settings from their table: docs/settings.md and `tau config doc` are the same text. */
import { oldNames } from "./old-names.ts";
import template from "./page.md" with { type: "text" };
import { groups, pathOf, type Named } from "./schema.ts";
import type { Hint, Setting } from "./setting.ts";

export function settingsPage(): string {
	const names = oldNames.map(({ old, now, beside }) => {
		const both = beside === undefined ? `\`${old}\`` : `\`${beside}\` and \`${old}\``;
		return `- ${both}: now \`${now}\``;
	});
	const tables = groups.map(({ title, settings }) => {
		const rows = Object.entries(settings).map(([path, setting]) => row(path, setting));
		return [
			`## ${title}`,
			"",
			"| setting | value | default | in projects | description |",
			"| --- | --- | --- | --- | --- |",
			...rows,
		].join("\n");
	});
	return template
		.replace("{{oldNames}}", () => names.join("\n"))
		.replace("{{settings}}", () => tables.join("\n\n"));
}

/** The information that a user needs to change the setting. */
export function settingHelp({ path, setting, entry }: Named): string {
	const { description, expected, notForProjects, scopes } = setting;
	const example = setting.hint.kind === "table" && entry === undefined ? `${path}.<name>` : path;
	const lines = [
		path,
		`  ${description}`,
		`  must be: ${expected}${unitOf(setting.hint)}`,
		`  default: ${standard(setting)}`,
		`  in a project: ${notForProjects === undefined ? "yes" : `no, because ${notForProjects}`}`,
		`  in a running session: ${scopes.includes("session") ? "yes" : "no, it takes effect when a session starts"}`,
		`  tau config set ${entry === undefined ? example : pathOf({ path, entry }).join(".")} <value>`,
	];
	return `${lines.join("\n")}\n`;
}

function row(path: string, setting: Setting): string {
	const { description, expected, notForProjects } = setting;
	const cells = [
		`\`${path}\``,
		`${expected}${unitOf(setting.hint)}`,
		standard(setting),
		notForProjects === undefined ? "yes" : "no",
		description,
	];
	return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function unitOf(hint: Hint): string {
	return hint.kind === "number" && hint.unit !== undefined ? ` (${hint.unit})` : "";
}

function standard({ default: value }: Setting): string {
	if (value === undefined) return "not set";
	if (typeof value === "object") return "empty";
	return String(value);
}

/** `/debug`: information for someone who helps with a problem. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { dirs, shortenHome } from "@tau/utils";
import { isTrusted } from "@tau/extensions/trust";

import type { InteractiveHost } from "../host.ts";
import { plural } from "../views/format.ts";
import { linesBlock } from "../views/lines.ts";
import type { SlashCommand } from "./command.ts";

export const debug: SlashCommand = {
	name: "debug",
	group: "Setup",
	argumentHint: "[profile [seconds]]",
	words: ["profile"],
	description: "Show diagnostic information for bug reports",
	details:
		"`profile` records for some seconds (10 by default) where Tau spends its time, and writes a flame graph as an SVG.",
	async run(args, host) {
		const [, seconds] = /^profile(?:\s+(\d{1,3}))?$/.exec(args) ?? [];
		if (args.startsWith("profile")) return await recordProfile(Number(seconds ?? 10), host);
		host.print(linesBlock(host, await debugLines(host)));
	},
};

/** What Tau does meanwhile is recorded: keys, answers and tools go on. */
async function recordProfile(seconds: number, host: InteractiveHost): Promise<void> {
	const { CpuProfile } = await import("@tau/utils/profile");
	using recording = await CpuProfile.start();
	host.notify(`Recording for ${seconds} s; do what is slow now.`);
	await Bun.sleep(seconds * 1000);
	const { folded, summary, svg, sampleCount } = await recording.stop();
	if (svg === undefined) return host.notify("Nothing was recorded: Tau had nothing to do.");
	const base = join(dirs().logs, `profile-${new Date().toISOString().replace(/[:.]/g, "-")}`);
	await mkdir(dirs().logs, { recursive: true, mode: 0o700 });
	for (const [extension, text] of [
		["svg", svg],
		["folded", folded],
		["md", summary],
	] as const)
		await writeFile(`${base}.${extension}`, text, { mode: 0o600 });
	host.notify(
		`Wrote ${shortenHome(base)}.svg (${plural(sampleCount, "sample")}), with stacks as .folded and a table as .md.`,
	);
}

export async function debugLines(host: InteractiveHost): Promise<[string, string][]> {
	const found = await foundLines(host);
	const { terminal } = host.tui;
	const memory = Math.round(process.memoryUsage.rss() / 1024 / 1024);
	const features = terminal.features;
	return [
		["bun", Bun.version],
		["system", `${process.platform} ${process.arch}`],
		[
			"terminal",
			`${terminal.columns}x${terminal.rows} ${process.env.TERM ?? ""} ${process.env.TERM_PROGRAM ?? ""}`,
		],
		["colors", host.theme.current.getColorMode()],
		["theme", `${host.theme.name} (${host.theme.current.name})`],
		["keyboard", terminal.kittyProtocolActive ? "kitty protocol" : "legacy"],
		["features", features ? JSON.stringify(features) : "unknown"],
		["memory", `${memory} MB`],
		["redraws", String(host.tui.fullRedraws)],
		["model", `${host.session.model.provider}/${host.session.model.id}`],
		["session", host.log.getSessionFile() ?? "in memory"],
		["logs", dirs().logs],
		...extensionLines(host),
		...found,
	];
}

/** The slowest extension comes first, because a slow start is the reason to look. */
function extensionLines({ loadedExtensions }: InteractiveHost): [string, string][] {
	if (!loadedExtensions) return [];
	const times = [...loadedExtensions.times].toSorted(([, a], [, b]) => b - a);
	const loaded = times.map(([path, ms]): [string, string] => [
		"extension",
		`${shortenHome(path)} loaded in ${ms.toFixed(1)} ms`,
	]);
	const failed = loadedExtensions.problems.map(({ path, error }): [string, string] => [
		"extension",
		`${shortenHome(path)} was not loaded: ${error}`,
	]);
	return [...loaded, ...failed];
}

async function foundLines({ cwd, settings, resources }: InteractiveHost): Promise<[string, string][]> {
	// Only here: it searches for everything, also for what is unused.
	const { discovered } = await import("../../../session-commands/work/discovered.ts");
	const trusted = resources?.isTrusted() ?? isTrusted(cwd, dirs().agent);
	const { sections, ms } = await discovered(cwd, process.env, settings, trusted);
	const counts = sections.flatMap(({ title, rows, warnings }) => {
		const used = rows.filter(({ state }) => state === "used").length;
		const left = rows.length - used;
		if (rows.length + warnings.length === 0) return [];
		const beside = [
			left > 0 ? `${left} not used` : "",
			warnings.length > 0 ? plural(warnings.length, "warning") : "",
		];
		const more = beside.filter((text) => text !== "").join(", ");
		return [`${title} ${used}${more === "" ? "" : ` (${more})`}`];
	});
	return [
		["project", `${shortenHome(cwd)}: ${trusted ? "trusted" : "not trusted"}`],
		["found", `${counts.join(", ") || "nothing"} in ${ms.toFixed(0)} ms; run tau doctor for details`],
	];
}

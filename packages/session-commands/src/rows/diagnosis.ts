/** `/doctor`, `/debug` and `/feedback`: what the session needs and whether it works, for its user and for bug reports. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { UserError } from "@tau/session/run";
import { abortable, dirs, maskSecrets, plural, shortenHome, version } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { facts, plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { checkSigns, type Check, type Problem } from "../work/doctor-report.ts";

export interface DoctorData {
	checks: readonly Check[];
	problems: readonly Problem[];
}

export const doctor: SessionCommand = {
	name: "doctor",
	group: "Setup",
	description: "Check model, key, sandbox, git, terminal and files, with a fix for each problem",
	details: "The same as `tau doctor` in a shell, which also lists everything that was found.",
	// It shows the machine of the owner.
	right: "control",
	async run(_, target) {
		const examine = target.doctor;
		if (!examine) throw new UserError("This session cannot examine its machine. Run tau doctor in a shell.");
		target.progress("Checking");
		const found = await abortable(examine(), target.signal).catch((error: unknown) => {
			if (target.signal.aborted) return undefined;
			throw error;
		});
		target.progress(undefined);
		if (!found) return {};
		const data: DoctorData = { checks: found.checks, problems: [...found.problems, ...unloaded(target)] };
		return { ...reply(doctorText(data)), data };
	},
};

/** Only a session knows what happened when extensions and tools were loaded. */
function unloaded({ extensions }: CommandTarget): Problem[] {
	return (extensions?.problems ?? []).map(({ path, error }) => ({
		area: "extensions",
		problem: `${shortenHome(path)}: ${error}`,
		fix: "Correct the file and run /reload, or remove it.",
		severity: "warning",
	}));
}

export function doctorTitle({ problems }: DoctorData): string {
	return problems.length === 0 ? "Doctor: no problems" : `Doctor: ${plural(problems.length, "problem")}`;
}

function doctorText(data: DoctorData): string {
	return [
		doctorTitle(data),
		...data.checks.map(({ name, state, about }) => `${checkSigns[state]} ${name}  ${plain(about)}`),
		...data.problems.flatMap(({ area, problem, fix, severity }) => [
			"",
			`${checkSigns[severity]} ${area}: ${plain(problem)}`,
			`  fix: ${plain(fix)}`,
		]),
	].join("\n");
}

export const debug: SessionCommand = {
	name: "debug",
	group: "Setup",
	argumentHint: "[profile [seconds]]",
	words: ["profile"],
	description: "Show diagnostic information for bug reports",
	details:
		"`profile` records for some seconds (10 by default) where Tau spends its time, and writes a flame graph as an SVG.",
	right: "control",
	async run(args, target) {
		const [, seconds] = /^profile(?:\s+(\d{1,3}))?$/.exec(args) ?? [];
		if (args.startsWith("profile")) return await recordProfile(Number(seconds ?? 10), target);
		return facts(await debugLines(target));
	},
};

/** What Tau does meanwhile is recorded: keys, answers and tools go on. */
async function recordProfile(seconds: number, target: CommandTarget): Promise<CommandReply> {
	const { CpuProfile } = await import("@tau/utils/profile");
	using recording = await CpuProfile.start();
	await target.notice(`Recording for ${seconds} s; do what is slow now.`);
	// A profile that is stopped early has what was recorded until then.
	await abortable(Bun.sleep(seconds * 1000), target.signal).catch(() => {});
	const { folded, summary, svg, sampleCount } = await recording.stop();
	if (svg === undefined) return reply("Nothing was recorded: Tau had nothing to do.");
	const base = join(dirs().logs, `profile-${new Date().toISOString().replace(/[:.]/g, "-")}`);
	await mkdir(dirs().logs, { recursive: true, mode: 0o700 });
	for (const [extension, text] of [
		["svg", svg],
		["folded", folded],
		["md", summary],
	] as const)
		await writeFile(`${base}.${extension}`, text, { mode: 0o600 });
	return {
		...reply(
			`Wrote ${shortenHome(base)}.svg (${plural(sampleCount, "sample")}), with stacks as .folded and a table as .md.`,
		),
		data: { path: `${base}.svg` },
	};
}

async function debugLines(target: CommandTarget): Promise<(readonly [string, string])[]> {
	const found = await foundLines(target);
	const { model } = target.host.state;
	return [
		["bun", Bun.version],
		["system", `${process.platform} ${process.arch}`],
		...target.clientFacts(),
		["memory", `${Math.round(process.memoryUsage.rss() / 1024 / 1024)} MB`],
		["model", `${model.provider}/${model.id}`],
		["session", target.host.log.getSessionFile() ?? "in memory"],
		["logs", dirs().logs],
		...extensionLines(target),
		...found,
	];
}

/** The slowest extension comes first, because a slow start is the reason to look. */
function extensionLines({ extensions }: CommandTarget): [string, string][] {
	if (!extensions) return [];
	const times = [...extensions.times].toSorted(([, a], [, b]) => b - a);
	const loaded = times.map(([path, ms]): [string, string] => [
		"extension",
		`${shortenHome(path)} loaded in ${ms.toFixed(1)} ms`,
	]);
	const failed = extensions.problems.map(({ path, error }): [string, string] => [
		"extension",
		`${shortenHome(path)} was not loaded: ${error}`,
	]);
	return [...loaded, ...failed];
}

async function foundLines({ cwd, settings, isTrusted }: CommandTarget): Promise<[string, string][]> {
	// Only here: it searches for everything, also for what is unused.
	const { discovered } = await import("../work/discovered.ts");
	const { sections, ms } = await discovered(cwd, process.env, settings, isTrusted);
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
		["project", `${shortenHome(cwd)}: ${isTrusted ? "trusted" : "not trusted"}`],
		["found", `${counts.join(", ") || "nothing"} in ${ms.toFixed(0)} ms; run tau doctor for details`],
	];
}

/** Lines of the log in a report: what happened before a problem, not the whole day. */
const logLines = 200;

export const feedback: SessionCommand = {
	name: "feedback",
	group: "Setup",
	aliases: ["bug"],
	argumentHint: "[what happened]",
	takesText: true,
	description: "Write a report file for a bug report, without the conversation or secrets",
	right: "control",
	async run(args, target) {
		const lines = (await debugLines(target)).map(([name, value]) => `- ${name}: ${value}`);
		const text = [
			`# Tau ${version}`,
			args === "" ? "(describe what happened, and what you expected)" : args,
			"## Environment",
			lines.join("\n"),
			"## Log",
			`\`\`\`\n${logTail()}\n\`\`\``,
		].join("\n\n");
		const directory = join(dirs().state, "feedback");
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
		const file = join(directory, `tau-${stamp}.md`);
		writeFileSync(file, `${maskSecrets(text).replaceAll(dirs().home, "~")}\n`, { mode: 0o600 });
		return {
			...reply(
				`Wrote ${shortenHome(file)}. It contains no messages and no keys; read it before you send it.`,
				"success",
			),
			data: { path: file },
		};
	},
};

/** The end of the newest log file. */
function logTail(): string {
	try {
		const { logs } = dirs();
		const files = readdirSync(logs).map((name) => join(logs, name));
		const newest = files.toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs).at(-1);
		if (newest === undefined) return "(empty)";
		return readFileSync(newest, "utf8").trimEnd().split("\n").slice(-logLines).join("\n");
	} catch {
		// A log that does not exist or cannot be read has nothing to report.
		return "(no log)";
	}
}

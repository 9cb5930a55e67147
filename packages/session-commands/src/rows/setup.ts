/** `/settings`, `/trust`, `/hooks` and `/reload`: how the session is set up. */
import { trustAnswer } from "@tau/extensions/trust";
import { assertOutcome } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import { findSetting, formatValue, parseValue, settingPaths, unknownSetting } from "@tau/config/settings";
import { shortenHome } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { changeTrust } from "../work/git-trust.ts";

const settingVerbs = ["get", "set"];
const settingScopes = ["session", "project", "global"] as const;

export const settings: SessionCommand = {
	name: "settings",
	aliases: ["config"],
	group: "Setup",
	argumentHint: "[search | get <setting> | set <setting> <value>]",
	words: [...settingVerbs, ...settingScopes],
	description: "Open settings",
	details:
		"`set` changes a setting for this session; `set project` and `set global` write it to the file of the project, or your own.",
	// Values may be what only the owner should read.
	right: "control",
	complete: (prefix) => {
		const [, head = "", part = ""] =
			/^((?:get|set(?: (?:session|project|global))?) )?(.*)$/.exec(prefix) ?? [];
		return settingPaths
			.filter((path) => path.startsWith(part))
			.map((path) => ({ value: `${head}${path}`, label: path }));
	},
	async run(args, target) {
		const [verb = "", ...words] = args.split(/\s+/).filter(Boolean);
		if (!settingVerbs.includes(verb)) return await settingList(target, args);
		const scope = settingScopes.find((each) => verb === "set" && each === words[0]);
		const [path = "", ...value] = scope ? words.slice(1) : words;
		const named = findSetting(path);
		if (!named) throw new UserError(unknownSetting(path));
		if (verb === "set") {
			if (value.length === 0) throw new UserError("Usage: /settings set [project|global] <setting> <value>");
			const parsed = parseValue(named, value.join(" "));
			assertOutcome(await target.settings.setUnchecked(path, parsed, scope ?? "session"));
		}
		const { value: now, from } = (await target.settings.explain(path)) ?? {
			value: undefined,
			from: undefined,
		};
		const where = scope === undefined || scope === "session" ? "this session" : `the ${scope} file`;
		return {
			...reply(
				verb === "set" ? `${path} is ${formatValue(now)} in ${where}.` : `${path}: ${formatValue(now)}`,
			),
			data: { path, value: now ?? null, layer: from?.layer ?? "default" },
		};
	},
};

async function settingList(target: CommandTarget, search: string): Promise<CommandReply> {
	const fitting = settingPaths.filter((path) => path.toLowerCase().includes(search.toLowerCase()));
	if (fitting.length === 0) throw new UserError(unknownSetting(search));
	const rows = fitting.map((path) => ({ path, value: target.settings.get(path) ?? null }));
	return {
		...reply(rows.map(({ path, value }) => `${path}: ${plain(formatValue(value))}`).join("\n")),
		data: { settings: rows },
	};
}

/** The first option is the one that an accidental Enter selects. */
const trustChoices = [
	{ value: "no", label: "No", description: "don't load its code, and don't ask again" },
	{ value: "ask", label: "Reset", description: "don't load its code; ask again next time" },
	{
		value: "yes",
		label: "Yes, trust it",
		description: "run its extensions, commands in its templates, and git",
	},
] as const;

export const trust: SessionCommand = {
	name: "trust",
	group: "Setup",
	argumentHint: "[yes|no|ask]",
	description: "Trust or distrust this project's code",
	right: "control",
	complete: (prefix) =>
		trustChoices
			.filter(({ value }) => value.startsWith(prefix.toLowerCase()))
			.map((choice) => ({ ...choice })),
	async run(args, target) {
		const input = trustChoices.find(({ value }) => value === args.toLowerCase())?.value;
		if (args !== "" && input === undefined) throw new UserError("Usage: /trust yes|no|ask");
		const question = `${trustState(target)}\nTrust this project (extensions, hooks, git)?`;
		const answer = input ?? (await target.ask.select(question, trustChoices));
		if (answer === undefined) return {};
		await changeTrust(target, answer === "ask" ? undefined : answer === "yes");
		return { ...reply(trustState(target), "success"), data: { isTrusted: target.isTrusted } };
	},
};

function trustState({ cwd, resources, agentDir }: CommandTarget): string {
	const answer = trustAnswer(cwd, agentDir);
	const here = shortenHome(cwd);
	if (resources?.isTrusted() && answer?.trusted !== true) return `${here} is trusted for this run (--trust).`;
	if (!answer) return `${here} is not trusted yet.`;
	const from = answer.isOwn ? "" : `, because of your answer about ${shortenHome(answer.directory)}`;
	return `${here} is ${answer.trusted ? "trusted" : "not trusted"}${from}.`;
}

export interface HooksData {
	hooks: readonly { head: string; command: string; file: string; isOn: boolean }[];
}

export const hooks: SessionCommand = {
	name: "hooks",
	group: "Setup",
	description: "Show the configured hooks and whether they run",
	// Commands of the owner may have secrets in them.
	right: "control",
	async run(_, target) {
		const { findHooksOf } = await import("@tau/extensions/assembly");
		const problems: string[] = [];
		const { all } = await findHooksOf({
			isTrusted: true,
			cwd: target.cwd,
			settings: target.settings,
			onNotice: (message) => void problems.push(message),
		});
		for (const problem of problems) await target.notice(problem, "warning");
		if (all.length === 0)
			return reply("No hooks are configured. Add them to hooks in config.yml, or to hooks.json.");
		const data: HooksData = {
			hooks: all.map(({ event, matcher, command, origin }) => ({
				head: `${event}${matcher === "" || matcher === "*" ? "" : ` (${plain(matcher)})`}`,
				command: plain(command),
				file: shortenHome(origin.path),
				isOn: origin.level !== "project" || target.isTrusted,
			})),
		};
		const lines = data.hooks.flatMap(({ head, command, file, isOn }) => [
			`${head}  ${command}`,
			`  ${file}`,
			...(isOn ? [] : [`  ${hookIsOff}`]),
		]);
		return { ...reply(lines.join("\n")), data };
	},
};

export const hookIsOff = "does not run: the project is not trusted (/trust)";

export const reload: SessionCommand = {
	name: "reload",
	group: "Setup",
	description: "Reload settings, keybindings, themes and extensions",
	right: "control",
	async run(_, target) {
		const problems = await target.reload();
		for (const problem of problems) await target.notice(problem, "warning");
		if (problems.length > 0) return { data: { problems } };
		return {
			...reply("Reloaded settings, keybindings, themes and extensions.", "success"),
			data: { problems },
		};
	},
};

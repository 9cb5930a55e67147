/** `/settings`, `/trust`, `/hooks` and `/reload`: how the session is set up. */
import { outputStyles } from "@tau/extensions/system-prompt";
import { trustAnswer } from "@tau/extensions/trust";
import { projectRoot } from "@tau/resources/context-files";
import { assertOutcome } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import {
	findSetting,
	formatValue,
	parseValue,
	settingPaths,
	unknownSetting,
	visibleValue,
	type Origin,
	type Settings,
} from "@tau/config/settings";
import { dirs, shortenHome } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { changeTrust } from "../work/git-trust.ts";

const settingVerbs = ["get", "set", "unset"];
const settingScopes = ["session", "project", "global"] as const;

export const settings: SessionCommand = {
	name: "settings",
	aliases: ["config"],
	group: "Setup",
	argumentHint: "[search | get <setting> | set <setting> <value> | unset <setting>]",
	words: [...settingVerbs, "explain", ...settingScopes],
	description: "Open settings",
	details:
		"`set` changes a setting for this session; `set project` and `set global` write it to the file of the project, or your own. `unset` takes it out again.",
	// Values may be what only the owner should read.
	right: "control",
	complete: (prefix) => {
		const [, head = "", part = ""] =
			/^((?:get|(?:un)?set(?: (?:session|project|global))?) )?(.*)$/.exec(prefix) ?? [];
		return settingPaths
			.filter((path) => path.startsWith(part))
			.map((path) => ({ value: `${head}${path}`, label: path }));
	},
	run: (args, { settings: store }) => settingsReply(args, store),
};

/** What `/settings` replies. */
export function settingsReply(args: string, store: Settings): CommandReply | Promise<CommandReply> {
	const [verb = "", ...words] = args.split(/\s+/).filter(Boolean);
	if (verb === "explain" && words.length === 0) return explained(store);
	if (!settingVerbs.includes(verb)) return settingList(store, args);
	const scope = settingScopes.find((each) => verb !== "get" && each === words[0]);
	const [path = "", ...rest] = scope ? words.slice(1) : words;
	if (!findSetting(path)) throw new UserError(unknownSetting(path));
	// As it was typed: a text may have several spaces in a row.
	const typed = args.slice(args.indexOf(path) + path.length).trim();
	const value = typed === '""' ? "" : typed;
	if (verb === "set" && rest.length === 0)
		throw new UserError("Usage: /settings set [project|global] <setting> <value>");
	if (verb === "get") return settingValue(store, path);
	return changeSetting(store, { path, value: verb === "set" ? value : undefined, scope: scope ?? "session" });
}

async function settingValue(store: Settings, path: string): Promise<CommandReply> {
	const { value: whole, from } = (await store.explain(path)) ?? { value: undefined, from: undefined };
	const value = visibleValue(path, whole);
	const data = { path, value: value ?? null, layer: from?.layer ?? "default" };
	return { ...reply(`${path}: ${formatValue(value)}`), data };
}

/** Without a value, those of lower layers apply. */
async function changeSetting(
	store: Settings,
	{ path, value, scope }: { path: string; value: string | undefined; scope: (typeof settingScopes)[number] },
): Promise<CommandReply> {
	const named = findSetting(path);
	if (!named) throw new UserError(unknownSetting(path));
	const outcome =
		value === undefined
			? await store.unset(path, scope)
			: await store.setUnchecked(path, parseValue(named, value), scope);
	assertOutcome(outcome);
	const { data, text } = await settingValue(store, path);
	const where = scope === "session" ? "this session" : `the ${scope} file`;
	const hiddenBy = outcome.ok && outcome.hiddenBy ? { hiddenBy: outcome.hiddenBy } : {};
	return {
		...reply(`${text?.replace(":", " is")} in ${where}.`),
		data: { ...(data as object), ...hiddenBy },
	};
}

export interface SettingsData {
	settings: readonly {
		path: string;
		value: unknown;
		/** The only values that it can have; `explain` leaves them out. */
		choices?: readonly string[];
		/** Where the value comes from; `explain` adds it. */
		from?: Origin;
	}[];
}

function settingList(store: Settings, search: string): CommandReply {
	const fitting = settingPaths.filter((path) => path.toLowerCase().includes(search.toLowerCase()));
	if (fitting.length === 0) throw new UserError(unknownSetting(search));
	const rows = fitting.map((path) => ({
		path,
		value: visibleValue(path, store.get(path)) ?? null,
		...choicesOf(path),
	}));
	const data: SettingsData = { settings: rows };
	return {
		...reply(rows.map(({ path, value }) => `${path}: ${plain(formatValue(value))}`).join("\n")),
		data,
	};
}

function choicesOf(path: string): { choices?: readonly string[] } {
	const hint = findSetting(path)?.setting.hint;
	return hint?.kind === "choice" ? { choices: hint.choices } : {};
}

/** All of them, with the files that they come from. */
async function explained(store: Settings): Promise<CommandReply> {
	const rows = [];
	for (const path of settingPaths) {
		const { value, from } = await store.explain(path);
		rows.push({ path, value: visibleValue(path, value) ?? null, from });
	}
	const data: SettingsData = { settings: rows };
	return { ...reply(rows.map(({ path, from }) => `${path}: ${from.file ?? from.layer}`).join("\n")), data };
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

export const outputStyle: SessionCommand = {
	name: "output-style",
	group: "Setup",
	argumentHint: "[name | off]",
	words: ["off"],
	description: "Choose how the model writes to you",
	details:
		"Styles are files in `output-styles` of `~/.tau/agent`, `~/.claude` and a trusted project, and those that are built in. The choice is yours for all sessions. A change in the middle of a session costs its cache once.",
	right: "control",
	complete: (prefix, target) =>
		[...stylesOf(target).values()]
			.filter(({ name }) => name.startsWith(prefix))
			.map(({ name, description }) => ({ value: name, label: name, description })),
	async run(args, target) {
		const styles = stylesOf(target);
		const current = target.settings.get("outputStyle");
		const name = args.trim().toLowerCase();
		if (name === "") {
			const rows = [...styles.values()].map(
				(style) => `${style.name === current ? "●" : "○"} ${style.name}  ${plain(style.description)}`,
			);
			return { ...reply(rows.join("\n")), data: { current: current ?? null, styles: [...styles.keys()] } };
		}
		if (name !== "off" && !styles.has(name))
			throw new UserError(
				`There is no output style "${name}". Choose one of: ${[...styles.keys()].join(", ")}.`,
			);
		const { settings: store } = target;
		assertOutcome(
			name === "off"
				? await store.unset("outputStyle", "global")
				: await store.set("outputStyle", name, "global"),
		);
		for (const problem of await target.reload()) await target.notice(problem, "warning");
		return reply(name === "off" ? "The model writes as usual." : `Output style: ${name}.`, "success");
	},
};

function stylesOf({ cwd, agentDir, isTrusted }: CommandTarget): ReturnType<typeof outputStyles> {
	return outputStyles({ root: projectRoot(cwd), agentDir, home: dirs().home, isTrusted });
}

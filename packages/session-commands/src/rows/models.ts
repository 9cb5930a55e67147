/** `/model`, `/thinking` and `/scoped-models`: which model answers, how much it thinks, and which ones Ctrl+P offers. */
import { levelsOf, type Model, type ThinkingLevel } from "@tau/ai";
import { assertOutcome } from "@tau/session/host";
import { resolveModel } from "@tau/config/models";
import { UserError } from "@tau/session/run";
import type { CommandReply, Completion } from "@tau/wire";

import { plain, reply, valueItems, type CommandTarget, type SessionCommand } from "../command.ts";
import { limits } from "../limits.ts";
import { canonicalData, modelListData, toggled } from "../work/model-rows.ts";

/** What a reply of /model without a name has. */
export interface ModelData {
	current: string;
	models: readonly { model: string; name: string }[];
}

const modelVerbs: Readonly<
	Record<string, (name: string, target: CommandTarget) => CommandReply | Promise<CommandReply>>
> = {
	choose(name, target) {
		const named = name === "" ? undefined : resolved(name, target);
		return named?.ok ? use(named, target) : { data: modelListData(target.registry, choiceOf(target)) };
	},
	canonical: (_, target) => ({ data: canonicalData(target.registry, choiceOf(target)) }),
	async favorite(name, target) {
		const { settings } = target;
		const names = toggled(settings.get("favoriteModels"), name);
		assertOutcome(await settings.set("favoriteModels", names, "global"));
		return { data: modelListData(target.registry, choiceOf(target)) };
	},
	async default(name, { settings }) {
		assertOutcome(await settings.set("modelRoles.default", name, "global"));
		return reply(`${plain(name)} is now the default model.`, "success");
	},
};

/** The others need the name of a model. */
const listVerbs: ReadonlySet<string> = new Set(["choose", "canonical"]);

export const model: SessionCommand = {
	name: "model",
	group: "Model",
	argumentHint: "[name]",
	description: "Select a model",
	details:
		"Without a name, opens the list of models. With a name it switches at once if only one model fits; a thinking level may follow: `/model name:high`. The change counts from the next turn on.",
	right: "control",
	shows: [""],
	complete: (prefix, target) => modelItems(prefix, target),
	run(args, target) {
		const { host } = target;
		if (args === "") return modelList(host.models.available(), host.state.model);
		const [, verb = "", name = ""] = /^(\S+)\s*([^]*)$/.exec(args) ?? [];
		const act = name !== "" || listVerbs.has(verb) ? modelVerbs[verb] : undefined;
		if (act) return act(name, target);
		const named = resolved(args, target);
		if (!named.ok) throw new UserError(named.message);
		return use(named, target);
	},
};

type Resolved = ReturnType<typeof resolveModel>;

function resolved(name: string, { host, registry }: CommandTarget): Resolved {
	return resolveModel(name, host.models.available(), registry);
}

async function use(named: Extract<Resolved, { ok: true }>, { host }: CommandTarget): Promise<CommandReply> {
	const chosen = await host.models.ready(named.model.provider, named.model.id);
	assertOutcome(await host.apply({ type: "model", model: chosen }));
	if (named.thinking) assertOutcome(await host.apply({ type: "thinking", level: named.thinking }));
	const { model: now, thinkingLevel } = host.state;
	return { ...reply(`Model ${nameOf(now)}.`, "success"), data: { model: nameOf(now), thinkingLevel } };
}

function choiceOf({ host: { state }, settings }: CommandTarget) {
	return { current: state.model, level: state.thinkingLevel, favorites: settings.get("favoriteModels") };
}

/** The models that can be used, for completion. */
export function modelItems(prefix: string, { host }: Pick<CommandTarget, "host">): Completion[] {
	return host.models
		.available()
		.map((each) => ({ value: nameOf(each), label: nameOf(each), description: each.name }))
		.filter(({ value }) => value.toLowerCase().includes(prefix.toLowerCase()));
}

function modelList(models: readonly Model[], current: Model): CommandReply {
	const lines = models.map((each) => {
		const isCurrent = nameOf(each) === nameOf(current);
		return `${isCurrent ? "* " : "  "}${plain(nameOf(each))}  ${plain(each.name)}`;
	});
	const more = lines.length - limits.listed;
	const data: ModelData = {
		current: nameOf(current),
		models: models.map((each) => ({ model: nameOf(each), name: each.name })),
	};
	const shown = [...lines.slice(0, limits.listed), ...(more > 0 ? [`… and ${more} more`] : [])];
	if (models.length === 0) shown.push("No model is connected. Connect one with tau login.");
	return { ...reply(shown.join("\n")), data };
}

function nameOf({ provider, id }: Model): string {
	return `${provider}/${id}`;
}

export const thinking: SessionCommand = {
	name: "thinking",
	group: "Model",
	argumentHint: "[level]",
	description: "Set the thinking level",
	right: "control",
	shows: [""],
	complete: (prefix, { host: { state } }) =>
		valueItems(
			levelsOf(state.model).map((value) => ({ value })),
			prefix,
			state.thinkingLevel,
		),
	run(args, { host }) {
		const levels = levelsOf(host.state.model);
		if (levels.length < 2) return reply("This model does not support thinking.", "warning");
		const level = levels.find((each) => each === args);
		if (args !== "" && !level) throw new UserError(`This model supports these levels: ${levels.join(", ")}.`);
		const replied = (text: string, how: "info" | "success"): CommandReply => {
			const data: ThinkingData = { level: host.state.thinkingLevel, levels };
			return { ...reply(`Thinking ${data.level}.${text}`, how), data };
		};
		if (!level) return replied(` Levels: ${levels.join(", ")}.`, "info");
		return host.apply({ type: "thinking", level }).then((outcome) => {
			assertOutcome(outcome);
			return replied("", "success");
		});
	},
};

export interface ThinkingData {
	level: ThinkingLevel;
	levels: readonly ThinkingLevel[];
}

const scopeVerbs = ["add", "remove", "save"];

export const scopedModels: SessionCommand = {
	name: "scoped-models",
	group: "Model",
	argumentHint: "[add|remove|save] [model]",
	description: "Choose the models that Ctrl+P cycles through",
	right: "control",
	shows: [""],
	complete(prefix, target) {
		const [, verb, part] = /^(add|remove)\s+(.*)$/.exec(prefix) ?? [];
		if (verb === undefined || part === undefined)
			return valueItems(
				scopeVerbs.map((value) => ({ value })),
				prefix,
				undefined,
			);
		return modelItems(part, target).map((item) => ({ ...item, value: `${verb} ${item.value}` }));
	},
	run(args, target) {
		const [verb = "", ...rest] = args.split(/\s+/).filter(Boolean);
		return verb === "" ? scopeReply(target) : changeScope(verb, rest.join(" "), target);
	},
};

async function changeScope(verb: string, wanted: string, target: CommandTarget): Promise<CommandReply> {
	const { host, settings } = target;
	const chosen = scopeOf(target);
	if (verb === "save") {
		assertOutcome(await settings.set("enabledModels", chosen, "global"));
		return reply("Saved the models to cycle through (enabledModels).", "success");
	}
	if (!scopeVerbs.includes(verb) || wanted === "")
		throw new UserError("Usage: /scoped-models [add <model>|remove <model>|save]");
	const named = resolveModel(wanted, host.models.available(), target.registry);
	if (!named.ok) throw new UserError(named.message);
	const id = nameOf(named.model);
	// For this session; patterns become the models that they match.
	const others = chosen.filter((other) => other !== id);
	const value = verb === "add" ? [...others, id] : others;
	assertOutcome(await host.apply({ type: "setting", path: "enabledModels", value }));
	return scopeReply(target);
}

function scopeOf({ host }: CommandTarget): string[] {
	return host.models.scoped().map(({ model: each }) => nameOf(each));
}

export interface ScopedModelsData {
	/** Those that Ctrl+P cycles through. */
	models: readonly string[];
	/** Those that could be. */
	offered: readonly { id: string; name: string; isOn: boolean }[];
}

function scopeReply(target: CommandTarget): CommandReply {
	const models = scopeOf(target);
	const on = new Set(models);
	const offered = target.host.models.available().map((each) => {
		const id = nameOf(each);
		return { id, name: each.name, isOn: on.has(id) };
	});
	const data: ScopedModelsData = { models, offered };
	return { ...reply(models.length === 0 ? "No model is in the scope." : models.join("\n")), data };
}

/** The default model and the providers that are configured in other agents, as Tau would configure them. */
import { join } from "node:path";

import { providerOf, thinkingLevels } from "@tau/ai";
import type { ProviderConfig } from "@tau/config/models";
import { type Env, isRecord, parseFailure } from "@tau/utils";

import { readIfThere } from "./foreign-keys.ts";

export interface ForeignSettings {
	program: string;
	path: string;
	/** By the name that Tau has for the setting. */
	settings: Record<string, string>;
	/** For `models.yml`. */
	providers: Record<string, ProviderConfig>;
}

interface SettingsFile {
	program: string;
	paths(home: string, env: Env): string[];
	read(text: string): Pick<ForeignSettings, "settings" | "providers">;
}

const files: readonly SettingsFile[] = [
	{
		program: "Claude Code",
		paths: (home, env) => [join(env.CLAUDE_CONFIG_DIR ?? join(home, ".claude"), "settings.json")],
		read: (text) => {
			const { model, effortLevel } = object(Bun.JSONC.parse(text));
			// `opus[1m]` has a larger context, which is a model of its own nowhere else.
			const name = word(model).replace(/\[.*\]$/, "");
			const id = name === "" || name === "default" ? undefined : `anthropic/${name}`;
			return { settings: chosen({ model: id, effort: effortLevel }), providers: {} };
		},
	},
	{
		program: "Codex",
		paths: (home, env) => [join(env.CODEX_HOME ?? join(home, ".codex"), "config.toml")],
		read: readCodex,
	},
	{
		program: "Gemini",
		paths: (home) => [join(home, ".gemini/settings.json")],
		read: (text) => {
			const { model } = object(Bun.JSONC.parse(text));
			const name = word(model) || word(object(model).name);
			const isAlias = name === "" || name === "auto";
			return { settings: chosen({ model: isAlias ? undefined : `google/${name}` }), providers: {} };
		},
	},
	{
		program: "opencode",
		paths: (home, env) =>
			["opencode.jsonc", "opencode.json"].map((name) =>
				join(env.XDG_CONFIG_HOME ?? join(home, ".config"), "opencode", name),
			),
		read: readOpencode,
	},
];

export function foreignSettings(home: string, env: Env): { found: ForeignSettings[]; problems: string[] } {
	const found: ForeignSettings[] = [];
	const problems: string[] = [];
	for (const { program, paths, read } of files) {
		const path = paths(home, env).find((candidate) => readIfThere(candidate) !== undefined);
		if (path === undefined) continue;
		const text = readIfThere(path) ?? "";
		try {
			const { settings, providers } = read(text);
			if (Object.keys(settings).length + Object.keys(providers).length > 0)
				found.push({ program, path, settings, providers });
		} catch (error) {
			problems.push(`${path} cannot be read: ${parseFailure(error, text)}`);
		}
	}
	return { found, problems };
}

function readCodex(text: string): Pick<ForeignSettings, "settings" | "providers"> {
	const config = object(Bun.TOML.parse(text));
	const model = word(config.model);
	const provider = word(config.model_provider) || "openai";
	const own = Object.entries(object(config.model_providers)).flatMap(
		([id, value]): [string, ProviderConfig][] => {
			const { base_url: baseUrl, env_key: key, wire_api: wire } = object(value);
			if (word(baseUrl) === "" || providerOf(id)) return [];
			const api = wire === "responses" ? "openai-responses" : "openai-completions";
			const models = id === provider && model !== "" ? [{ id: model }] : [];
			return [[id, custom({ baseUrl: word(baseUrl), api, key: word(key), models })]];
		},
	);
	const selector = model === "" ? undefined : `${provider}/${model}`;
	const settings = chosen({ model: selector, effort: config.model_reasoning_effort });
	return { settings, providers: Object.fromEntries(own) };
}

function readOpencode(text: string): Pick<ForeignSettings, "settings" | "providers"> {
	const config = object(Bun.JSONC.parse(text));
	const own = Object.entries(object(config.provider)).flatMap(([id, value]): [string, ProviderConfig][] => {
		const { options, models } = object(value);
		const { baseURL, apiKey } = object(options);
		if (word(baseURL) === "" || providerOf(id)) return [];
		// `{env:NAME}` is the name of a variable; a key itself stays in that file.
		const [, key = ""] = /^\{env:(\w+)\}$/.exec(word(apiKey)) ?? [];
		const list = Object.entries(object(models)).map(([model, facts]) => modelOf(model, object(facts)));
		return [[id, custom({ baseUrl: word(baseURL), api: "openai-completions", key, models: list })]];
	});
	const settings = chosen({ model: word(config.model), smol: word(config.small_model) });
	return { settings, providers: Object.fromEntries(own) };
}

function modelOf(id: string, { name, limit }: Record<string, unknown>) {
	const { context, output } = object(limit);
	return {
		id,
		...(word(name) === "" ? {} : { name: word(name) }),
		...(typeof context === "number" && context > 0 ? { contextWindow: context } : {}),
		...(typeof output === "number" && output > 0 ? { maxTokens: output } : {}),
	};
}

interface Custom {
	baseUrl: string;
	api: string;
	/** The name of a variable. */
	key: string;
	models: { id: string }[];
}

function custom({ baseUrl, api, key, models }: Custom): ProviderConfig {
	return { baseUrl, api, ...(key === "" ? { auth: "none" as const } : { apiKey: key }), models };
}

interface Choices {
	model?: string | undefined;
	smol?: string;
	effort?: unknown;
}

function chosen({ model = "", smol = "", effort }: Choices): Record<string, string> {
	const level = thinkingLevels.find((name) => name === effort);
	return {
		...(model === "" ? {} : { "modelRoles.default": model }),
		...(smol === "" ? {} : { "modelRoles.smol": smol }),
		...(level === undefined ? {} : { defaultThinkingLevel: level }),
	};
}

function object(value: unknown): Record<string, unknown> {
	return isRecord(value) ? value : {};
}

function word(value: unknown): string {
	return typeof value === "string" ? value.trim() : "";
}

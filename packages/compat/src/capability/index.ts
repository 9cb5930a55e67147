/** omp's registry of capabilities: extensions define kinds of things, register providers for them, and load them. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { discoveryPaths } from "@tau/resources/sources";
import { perScope } from "@tau/extensions/support";

import { builtinCapabilities, builtinProviders } from "./builtin.ts";
import type {
	Capability,
	CapabilityProvider,
	CapabilityResult,
	LoadContext,
	LoadOptions,
	Sourced,
} from "./types.ts";

/** An item of any kind: the functions of a capability say what it is. */
type Item = Record<string, unknown>;

/** Of one session: what its extensions add is unknown to others. */
const state = perScope(() => ({
	capabilities: new Map<string, Capability<Item>>(builtinCapabilities().map((each) => [each.id, each])),
	disabled: new Set<string>(),
	enabled: new Set<string>(),
}));

function capabilityOf(id: string): Capability<Item> {
	const capability = state().capabilities.get(id);
	if (capability) return capability;
	throw new Error(`Unknown capability "${id}". Known: ${listCapabilities().join(", ")}.`);
}

function defineCapability(definition: Omit<Capability<Item>, "providers">): Capability<Item> {
	const { capabilities } = state();
	if (capabilities.has(definition.id)) throw new Error(`Capability "${definition.id}" is already defined.`);
	const capability = { ...definition, providers: [] };
	capabilities.set(definition.id, capability);
	return capability;
}

function registerProvider(id: string, provider: CapabilityProvider<Item>): void {
	const { providers } = capabilityOf(id);
	providers.push(provider);
	providers.sort((one, other) => other.priority - one.priority);
}

async function loadCapability(id: string, options: LoadOptions<Item> = {}): Promise<CapabilityResult<Item>> {
	const capability = capabilityOf(id);
	const context = contextOf(options.cwd ?? process.cwd());
	const all = [...(await builtinProviders(id, context)), ...capability.providers]
		.filter((provider) => isWanted(provider.id, options))
		.toSorted((one, other) => other.priority - one.priority);
	const loaded = await Promise.all(all.map((provider) => loadFrom(provider, context)));
	const items = loaded.flatMap((each) => each.items).filter((item) => options.filter?.(item) ?? true);
	const result = chosen(capability, items, options);
	return { ...result, warnings: [...loaded.flatMap(({ warnings }) => warnings), ...result.warnings] };
}

function contextOf(cwd: string): LoadContext {
	const { home, root } = discoveryPaths(cwd, process.env);
	return { cwd, home, repoRoot: existsSync(join(root, ".git")) ? root : null };
}

function isWanted(id: string, { providers, excludeProviders = [] }: LoadOptions<Item>): boolean {
	if (excludeProviders.includes(id)) return false;
	return providers ? providers.includes(id) : isProviderEnabled(id);
}

/** One that fails costs only what it would have found. */
async function loadFrom(
	provider: CapabilityProvider<Item>,
	context: LoadContext,
): Promise<{ items: Sourced<Item>[]; warnings: string[] }> {
	try {
		const { items, warnings = [] } = await provider.load(context);
		return { items: items.map((item) => withSource(item, provider)), warnings };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return { items: [], warnings: [`[${provider.displayName}] failed to load: ${reason}`] };
	}
}

function withSource(item: Item, { id, displayName }: CapabilityProvider<Item>): Sourced<Item> {
	const known = typeof item._source === "object" ? item._source : {};
	const level = item.level === "user" ? ("user" as const) : ("project" as const);
	const path = typeof item.path === "string" ? item.path : "";
	return { ...item, _source: { path, level, ...known, provider: id, providerName: displayName } };
}

/** Of items with the same key the first; those that are invalid or disabled hide nothing. */
function chosen(
	{ key, equivalent, validate, toExtensionId }: Capability<Item>,
	candidates: readonly Sourced<Item>[],
	{ includeInvalid, includeDisabled, disabledExtensions = [], suppress }: LoadOptions<Item>,
): CapabilityResult<Item> {
	const result: CapabilityResult<Item> = { items: [], all: [], warnings: [], providers: [] };
	const keys = new Set<string>();
	for (const item of candidates) {
		const problem = validate?.(item);
		const name = key(item);
		if (problem !== undefined && !includeInvalid) {
			result.warnings.push(`${item._source.path || item._source.provider}: ${problem}`);
			continue;
		}
		const isOff = disabledExtensions.includes(toExtensionId?.(item) ?? "");
		const isShadowed =
			(name !== undefined && keys.has(name)) || result.items.some((other) => equivalent?.(other, item));
		result.all.push(isShadowed ? { ...item, _shadowed: true } : item);
		if (isShadowed || (isOff && !includeDisabled)) continue;
		if (name !== undefined && !isOff) keys.add(name);
		if (suppress?.(item)) continue;
		result.items.push(item);
	}
	result.providers = [...new Set(result.items.map(({ _source }) => _source.provider))];
	return result;
}

function listCapabilities(): string[] {
	return [...state().capabilities.keys()];
}

function isProviderEnabled(id: string): boolean {
	return !state().disabled.has(id);
}

function getCapabilityInfo(id: string) {
	const capability = state().capabilities.get(id);
	if (!capability) return undefined;
	const { displayName, description, providers } = capability;
	return { id, displayName, description, providers: providers.map((provider) => providerFacts(provider)) };
}

function providerFacts({ id, displayName, description, priority }: CapabilityProvider<Item>) {
	return { id, displayName, description, priority, enabled: isProviderEnabled(id) };
}

function getAllProvidersInfo() {
	const infos = new Map<string, ReturnType<typeof providerFacts> & { capabilities: string[] }>();
	for (const { id, providers } of state().capabilities.values())
		for (const provider of providers) {
			const info = infos.get(provider.id) ?? { ...providerFacts(provider), capabilities: [] };
			info.capabilities.push(id);
			infos.set(provider.id, info);
		}
	return [...infos.values()];
}

function switchProvider(id: string, on: boolean): void {
	const { disabled, enabled } = state();
	(on ? disabled : enabled).delete(id);
	(on ? enabled : disabled).add(id);
}

function replace(set: Set<string>, ids: readonly string[]): void {
	set.clear();
	for (const id of ids) set.add(id);
}

const ownSources = new Set(["tau", "omp", "pi", "agents", "packages", "context files"]);

/** omp exports each of its capabilities by a name, for its id: `skillCapability` is `skills`. */
const constants = {
	contextFileCapability: "context-files",
	extensionCapability: "extensions",
	extensionModuleCapability: "extension-modules",
	hookCapability: "hooks",
	instructionCapability: "instructions",
	mcpCapability: "mcps",
	promptCapability: "prompts",
	ruleCapability: "rules",
	settingsCapability: "settings",
	skillCapability: "skills",
	slashCommandCapability: "slash-commands",
	sshCapability: "ssh",
	systemPromptCapability: "system-prompt",
	toolCapability: "tools",
} as const;

const named = Object.fromEntries(
	Object.entries(constants).map(([name, id]) => [name, builtinCapabilities().find((each) => each.id === id)]),
);

export const capabilityExports = {
	...named,
	defineCapability,
	registerProvider,
	loadCapability,
	listCapabilities,
	getCapability: (id: string) => state().capabilities.get(id),
	getCapabilityInfo,
	getAllCapabilitiesInfo: () => listCapabilities().map(getCapabilityInfo),
	getAllProvidersInfo,
	getProviderInfo: (id: string) => getAllProvidersInfo().find((info) => info.id === id),
	isProviderEnabled,
	enableProvider: (id: string) => switchProvider(id, true),
	disableProvider: (id: string) => switchProvider(id, false),
	getDisabledProviders: () => [...state().disabled],
	setDisabledProviders: (ids: string[]) => replace(state().disabled, ids),
	getEnabledProviders: () => [...state().enabled],
	setEnabledProviders: (ids: string[]) => replace(state().enabled, ids),
	isForeignUserProvider: (id: string) => !ownSources.has(id),
	isUserSourceEnabled: isProviderEnabled,
	enableUserSource: (id: string) => switchProvider(id, true),
	disableUserSource: (id: string) => switchProvider(id, false),
	/** Tau reads its own setting, `discovery.disabled`, each time. */
	initializeWithSettings: () => () => {},
	/** Nothing is cached: files are read each time. */
	reset: () => {},
	invalidate: () => {},
	cacheStats: () => ({ content: 0, dir: 0 }),
	resetCapabilityForTests(): void {
		const { capabilities, disabled, enabled } = state();
		capabilities.clear();
		for (const each of builtinCapabilities()) capabilities.set(each.id, each);
		disabled.clear();
		enabled.clear();
	},
};

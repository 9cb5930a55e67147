/** Values that a definition leaves to the user: `${input:id}`, as VS Code has them. Asked for once, and stored. */
import type { CredentialStore } from "@tau/ai";
import { isRecord, registerSecret } from "@tau/utils";

import { limits } from "./limits.ts";
import type { FoundServer, McpInput, McpServerConfig } from "./types.ts";
import type { McpUser } from "./user.ts";

const reference = /\$\{input:([^}]*)\}/g;

/** The inputs that a definition refers to. `defined` is the list of the file. */
export function inputsOf(raw: unknown, defined: unknown): Pick<McpServerConfig, "inputs"> {
	const ids = new Set(
		JSON.stringify(raw)
			.matchAll(reference)
			.map(([, id = ""]) => id),
	);
	if (ids.size === 0) return {};
	const known = Array.isArray(defined) ? defined.filter(isRecord) : [];
	const inputs = [...ids].slice(0, limits.inputs).map((id) => {
		const { description, password, options, default: fallback } = known.find((one) => one.id === id) ?? {};
		const input: McpInput = {
			description: typeof description === "string" ? description : id,
			isSecret: password === true,
			options: Array.isArray(options) ? options.flatMap(optionOf) : [],
			...(typeof fallback === "string" ? { fallback } : {}),
		};
		return [id, input] as const;
	});
	return { inputs: Object.fromEntries(inputs) };
}

/** Options are values, or have a label beside their value. */
function optionOf(option: unknown): string[] {
	const value: unknown = isRecord(option) ? option.value : option;
	return typeof value === "string" ? [value] : [];
}

export interface InputContext {
	store: CredentialStore;
	/** Who can be asked now. */
	user(): McpUser | undefined;
	signal: AbortSignal;
}

/** The values that are stored, and those that the user gives now. */
export async function inputValues(
	{ name, origin, config: { inputs = {} } }: FoundServer,
	{ store, user, signal }: InputContext,
): Promise<Map<string, string>> {
	const values = new Map<string, string>();
	for (const [id, input] of Object.entries(inputs)) {
		const provider = providerOf(origin.path, id);
		const stored = await store.getApiKey(provider, { signal });
		const value = stored ?? (await user()?.askValue(name, input, signal));
		if (value === undefined || value === "") continue;
		if (stored === undefined) await store.add(provider, { kind: "api_key", access: value }, { only: true });
		if (input.isSecret) registerSecret(value);
		values.set(id, value);
	}
	return values;
}

/** The user is asked again at the next start. Returns how many values there were. */
export function forgetInputs(
	{ origin, config: { inputs = {} } }: FoundServer,
	store: CredentialStore,
): number {
	return Object.keys(inputs).reduce((sum, id) => sum + store.remove(providerOf(origin.path, id)), 0);
}

/** Two files may mean different things by the same id. */
function providerOf(path: string, id: string): string {
	return `mcp-input:${path}#${id}`;
}

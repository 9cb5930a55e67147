/** What a client may choose in a session: the mode of approvals, the model, and how long it thinks. */
import { modeMeanings } from "@tau/session/policy";
import { UsageError } from "@tau/utils";
import { approvalModes, type ApprovalMode, type SessionClient, type ThinkingLevel } from "@tau/wire";

/** Words of the modes; what they mean is in their descriptions. */
const modeNames: Record<ApprovalMode, string> = { plan: "Plan", ask: "Ask", auto: "Auto", full: "Full" };

/** As omp has it: clients know the words. */
const unknown: Record<SessionChoice["id"], string> = {
	mode: "Unsupported ACP mode",
	model: "Unknown ACP model",
	thinking: "Unknown ACP thinking level",
};

export interface SessionChoice {
	readonly id: "mode" | "model" | "thinking";
	readonly name: string;
	readonly current: string;
	readonly options: readonly {
		readonly value: string;
		readonly name: string;
		readonly description?: string;
	}[];
}

/** Undefined where a session has no approvals. */
export function modeChoice({ view }: SessionClient): SessionChoice | undefined {
	const { approvals } = view.facts;
	const options = approvalModes.map((mode) => ({
		value: mode,
		name: modeNames[mode],
		description: modeMeanings[mode],
	}));
	return approvals ? { id: "mode", name: "Mode", current: approvals.mode, options } : undefined;
}

export async function sessionChoices(client: SessionClient): Promise<SessionChoice[]> {
	const { model, thinkingLevel } = client.view.facts;
	const { models } = await client.request("get_available_models", {});
	const { levels } = await client.request("get_available_thinking_levels", {});
	const current = valueOf(model);
	const all = models.some((each) => valueOf(each) === current) ? models : [model, ...models];
	return [
		modeChoice(client) ?? [],
		{
			id: "model" as const,
			name: "Model",
			current,
			options: all.map((each) => ({ value: valueOf(each), name: each.name, description: each.provider })),
		},
		{
			id: "thinking" as const,
			name: "Thinking",
			current: thinkingLevel,
			options: [...new Set([...levels, thinkingLevel])].map((level) => ({ value: level, name: level })),
		},
	].flat();
}

function valueOf({ provider, id }: { provider: string; id: string }): string {
	return `${provider}/${id}`;
}

/** Throws for an option or a value that there is none of. */
export async function choose(client: SessionClient, id: string, value: unknown): Promise<void> {
	const choices = await sessionChoices(client);
	const choice = choices.find((each) => each.id === id);
	if (!choice) throw new UsageError(`Unknown ACP config option: ${id}`);
	if (!choice.options.some((option) => option.value === value))
		throw new UsageError(`${unknown[choice.id]}: ${String(value)}`);
	const [, provider = "", modelId = ""] = /^([^/]*)\/([^]*)$/.exec(String(value)) ?? [];
	if (id === "model") await client.request("set_model", { provider, modelId });
	else if (id === "mode") await client.request("set_approval_mode", { mode: value as ApprovalMode });
	else await client.request("set_thinking_level", { level: value as ThinkingLevel });
}

/** What a client may choose in a session: the mode of approvals, the model, and how long it thinks. */
import * as acp from "@agentclientprotocol/sdk/unstable";
import { modeMeanings } from "@tau/session/policy";
import { approvalModes, type ApprovalMode, type SessionClient, type ThinkingLevel } from "@tau/wire";

/** Words of the modes; what they mean is in their descriptions. */
const modeNames: Record<ApprovalMode, string> = { plan: "Plan", ask: "Ask", auto: "Auto", full: "Full" };

/** Undefined where a session has no approvals. */
export function modesOf({ view }: SessionClient): acp.SessionModeState | undefined {
	const { approvals } = view.facts;
	if (!approvals) return undefined;
	const availableModes = approvalModes.map((id) => ({
		id,
		name: modeNames[id],
		description: modeMeanings[id],
	}));
	return { currentModeId: approvals.mode, availableModes };
}

export async function configOptions(client: SessionClient): Promise<acp.SessionConfigOption[]> {
	const { facts } = client.view;
	const modes = modesOf(client);
	const { models } = await client.request("get_available_models", {});
	const { levels } = await client.request("get_available_thinking_levels", {});
	const current = facts.model;
	const isListed = models.some((model) => valueOf(model) === valueOf(current));
	return [
		...(modes
			? [
					{
						type: "select" as const,
						id: "mode",
						name: "Mode",
						category: "mode",
						currentValue: modes.currentModeId,
						options: modes.availableModes.map(({ id, ...mode }) => ({ value: id, ...mode })),
					},
				]
			: []),
		{
			type: "select",
			id: "model",
			name: "Model",
			category: "model",
			currentValue: valueOf(current),
			options: [...(isListed ? [] : [current]), ...models].map((model) => ({
				value: valueOf(model),
				name: model.name,
				description: model.provider,
			})),
		},
		{
			type: "select",
			id: "thinking",
			name: "Thinking",
			category: "thought_level",
			currentValue: facts.thinkingLevel,
			options: [...new Set([...levels, facts.thinkingLevel])].map((level) => ({ value: level, name: level })),
		},
	];
}

function valueOf({ provider, id }: { provider: string; id: string }): string {
	return `${provider}/${id}`;
}

/** Throws for an option or a value that there is none of. */
export async function setConfigOption(
	client: SessionClient,
	{ configId, value }: Pick<acp.SetSessionConfigOptionRequest, "configId" | "value">,
): Promise<void> {
	const options = await configOptions(client);
	const option = options.find(({ id }) => id === configId);
	const isOffered =
		option?.type === "select" && option.options.some((each) => "value" in each && each.value === value);
	if (!isOffered) throw unknown(option ? configId : "config option", option ? value : configId);
	const [, provider = "", modelId = ""] = /^([^/]*)\/([^]*)$/.exec(String(value)) ?? [];
	if (configId === "model") await client.request("set_model", { provider, modelId });
	else if (configId === "mode") await client.request("set_approval_mode", { mode: value as ApprovalMode });
	else await client.request("set_thinking_level", { level: value as ThinkingLevel });
}

function unknown(what: string, value: unknown): acp.RequestError {
	return acp.RequestError.invalidParams({ value }, `unknown ${what}: ${String(value)}`);
}

/** What extensions get when they import pi's agent package, by any of its names. */
import { defaultConvertToLlm, estimateTokens, serializeConversation } from "@tau/agent";
import { uuidv7 } from "@tau/utils";
import { convertToLlm } from "@tau/session/run";

import { Agent, AgentBusyError } from "./agent-core/agent.ts";
import { loopExports } from "./agent-core/loop.ts";
import { streamProxy } from "./agent-core/proxy.ts";
import { valueExports } from "./agent-core/values.ts";
import * as branches from "./branch-summary.ts";
import * as compaction from "./support/compaction.ts";
import { buildSessionContext } from "./support/entries.ts";
import { AssistantMessageEventStream } from "./support/event-stream.ts";
import { formatSkillsForPrompt } from "./sdk/skills.ts";
import * as truncate from "./support/truncate.ts";

export function agentExports(): Record<string, unknown> {
	const { generateSummaryWithUsage: _, fileOpsOf: __, ...summing } = compaction;
	return {
		...loopExports,
		...valueExports,
		...branches,
		...summing,
		...truncate,
		Agent,
		AgentBusyError,
		ProxyMessageEventStream: AssistantMessageEventStream,
		streamProxy,
		buildSessionContext,
		convertToLlm,
		defaultConvertToLlm,
		estimateTokens,
		serializeConversation,
		formatSkillsForSystemPrompt: formatSkillsForPrompt,
		uuidv7,
		DEFAULT_AGENT_IDENTITY: {},
	};
}

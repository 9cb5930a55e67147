/** An agent for pages of other sites: Tau's loop, transports to a model, storage, and views. */
import { Agent, type AgentOptions } from "@tau/agent";

import type { AgentTransport } from "./transports.ts";

export { Agent, type AgentMessage, type AgentTool, type Attachment, type CustomMessages } from "@tau/agent";
export { registerRenderer, type MessageRenderer } from "../transcript/renderers.ts";
export { AgentPanel, showAgent, type AgentPanelProps } from "./agent-panel.tsx";
export { loadAttachment, type LoadOptions } from "./load-attachment.ts";
export { ConversationStore, KeyStore } from "./storage.ts";
export {
	AppTransport,
	ProviderTransport,
	type AgentTransport,
	type AppTransportOptions,
} from "./transports.ts";

export interface PageAgentOptions extends Omit<AgentOptions, "stream" | "getApiKey"> {
	transport: AgentTransport;
}

export function createAgent({ transport, ...options }: PageAgentOptions): Agent {
	const { stream, getApiKey } = transport;
	return new Agent({ ...options, stream, getApiKey });
}

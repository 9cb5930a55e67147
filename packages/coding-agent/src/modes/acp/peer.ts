/** The client at the other end. */
import type * as acp from "@agentclientprotocol/sdk/unstable";

/** The other end, in the words of version 1. */
export type AcpPeer = Pick<acp.AgentContext, "request" | "notify">;

/** A request that is withdrawn with the signal, and not waited for any longer. */
export function until(signal: AbortSignal): acp.SendRequestOptions {
	return { cancellationSignal: signal, stopWaitingOnCancel: true };
}

/** Who is at the other end, and what it can do. */
export interface AcpClient {
	readonly capabilities: acp.ClientCapabilities;
	readonly name: string;
}

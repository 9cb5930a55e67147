/** Assembles a message from the events of the official Bedrock client, which leaves this to its users. */
import type { ContentBlock, ConverseStreamOutput, TokenUsage } from "@aws-sdk/client-bedrock-runtime";

export interface SdkMessage {
	role: string | undefined;
	content: ContentBlock[];
	stopReason: string | undefined;
	usage: TokenUsage | undefined;
}

interface Open {
	text: string;
	thinking: string;
	signature: string;
	redacted: Uint8Array[];
	call?: { toolUseId: string | undefined; name: string | undefined };
	input: string;
}

export function messageOf(events: readonly ConverseStreamOutput[]): SdkMessage {
	const blocks = new Map<number, Open>();
	const message: SdkMessage = { role: undefined, content: [], stopReason: undefined, usage: undefined };
	const block = (index = 0): Open => {
		const open = blocks.get(index) ?? { text: "", thinking: "", signature: "", redacted: [], input: "" };
		blocks.set(index, open);
		return open;
	};
	for (const event of events) {
		message.role ??= event.messageStart?.role;
		message.stopReason ??= event.messageStop?.stopReason;
		message.usage ??= event.metadata?.usage;
		const { contentBlockStart: start, contentBlockDelta: change } = event;
		const call = start?.start?.toolUse;
		if (call) block(start.contentBlockIndex).call = { toolUseId: call.toolUseId, name: call.name };
		if (!change) continue;
		const open = block(change.contentBlockIndex);
		open.text += change.delta?.text ?? "";
		open.input += change.delta?.toolUse?.input ?? "";
		open.thinking += change.delta?.reasoningContent?.text ?? "";
		open.signature += change.delta?.reasoningContent?.signature ?? "";
		const hidden = change.delta?.reasoningContent?.redactedContent;
		if (hidden) open.redacted.push(hidden);
	}
	message.content = [...blocks].toSorted(([a], [b]) => a - b).map(([, open]) => close(open));
	return message;
}

function close({ text, thinking, signature, redacted, call, input }: Open): ContentBlock {
	if (call) return { toolUse: { ...call, input: input === "" ? {} : JSON.parse(input) } };
	if (redacted.length > 0) {
		return { reasoningContent: { redactedContent: new Uint8Array(Buffer.concat(redacted)) } };
	}
	if (thinking !== "" || signature !== "")
		return { reasoningContent: { reasoningText: { text: thinking, signature } } };
	return { text };
}

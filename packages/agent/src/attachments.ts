/** Files that a user attaches to a message, and their conversion for the model. */
import type { ImageContent, Message, TextContent, UserMessage } from "@tau/ai/portable";

import type { AgentMessage } from "./types.ts";

export interface Attachment {
	id: string;
	type: "image" | "document";
	fileName: string;
	mimeType: string;
	size: number;
	/** Base64, without a data URL prefix. */
	content: string;
	/** The text of a document; a document without it cannot be shown to a model. */
	extractedText?: string;
	/** Base64 image of a document. */
	preview?: string;
}

export type UserMessageWithAttachments = UserMessage & { attachments?: Attachment[] };

/** Models know three roles. Other messages that an application keeps in a conversation are not sent. */
export function defaultConvertToLlm(messages: readonly AgentMessage[]): Message[] {
	return messages.flatMap((message): Message[] => {
		switch (message.role) {
			case "user":
				return [withAttachments(message)];
			case "assistant":
			case "toolResult":
				return [message];
			default:
				return [];
		}
	});
}

/** What messages with attachments became: the same object for each request, so that it is encoded once. */
const known = new WeakMap<UserMessageWithAttachments, UserMessage>();

function withAttachments(message: UserMessageWithAttachments): UserMessage {
	if (message.attachments === undefined) return message;
	return known.getOrInsertComputed(message, () => {
		const { attachments = [], ...rest } = message;
		if (attachments.length === 0) return rest;
		const content: (TextContent | ImageContent)[] =
			typeof rest.content === "string" ? [{ type: "text", text: rest.content }] : rest.content;
		return { ...rest, content: [...content, ...attachments.flatMap(shown)] };
	});
}

function shown(attachment: Attachment): (TextContent | ImageContent)[] {
	if (attachment.type === "image") {
		return [{ type: "image", data: attachment.content, mimeType: attachment.mimeType }];
	}
	return attachment.extractedText === undefined ? [] : [{ type: "text", text: attachment.extractedText }];
}

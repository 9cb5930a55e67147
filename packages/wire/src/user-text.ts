/** The user's own text of a message that invokes a template or a skill: the expanded text is for the model. */
import { isRecord } from "@tau/utils/portable";

/** The format of a skill in a message of Tau and pi; newer versions of pi omit the role after it. */
const skillBlock =
	/^<skill name="(?<name>[^"\n]*)" location="[^"\n]*">\n(?:[^]*\n)?<\/skill>(?:\s*\n(?:User: )?(?<rest>[^]*))?$/;

/** Returns undefined without an invocation: then the content is the user's text. A file may hold any value here. */
export function invocationOf(message: unknown): string | undefined {
	if (!isRecord(message) || message.role !== "user") return undefined;
	if (typeof message.called === "string") return message.called;
	const { name, rest = "" } = skillBlock.exec(firstText(message.content))?.groups ?? {};
	return name === undefined ? undefined : `/skill:${name} ${rest}`.trim();
}

/** Returns the text that the user wrote, with or without an invocation; images are left out. */
export function userTextOf(message: unknown): string {
	if (!isRecord(message) || message.role !== "user") return "";
	const { content } = message;
	return invocationOf(message) ?? (Array.isArray(content) ? content.map(textOf).join("") : textOf(content));
}

/** Returns the long texts that the user pasted, in order. A file may hold any value here. */
export function pastesOf(message: unknown): string[] {
	if (!isRecord(message) || !Array.isArray(message.pastes)) return [];
	const text = userTextOf(message);
	return message.pastes.flatMap((range: unknown) => {
		const [start, end]: unknown[] = Array.isArray(range) ? range : [];
		const paste = typeof start === "number" && typeof end === "number" ? text.slice(start, end) : "";
		return paste === "" ? [] : [paste];
	});
}

function firstText(content: unknown): string {
	return textOf(Array.isArray(content) ? content[0] : content);
}

function textOf(part: unknown): string {
	if (typeof part === "string") return part;
	return isRecord(part) && part.type === "text" && typeof part.text === "string" ? part.text : "";
}

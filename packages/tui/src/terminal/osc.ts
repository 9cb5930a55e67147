/** What a terminal shows outside its screen: title, links, notifications, the clipboard; their text is untrusted. */
import { cutUtf8, oneLine } from "@tau/utils";

import { terminalLimits } from "../limits.ts";

const st = "\x1b\\";

export function titleSequence(title: string): string {
	return `\x1b]0;${oneLine(title, terminalLimits.titleChars)}\x07`;
}

/** A link in terminals that support links, the text alone in others. */
export function hyperlink(text: string, url: string): string {
	// A link has no control characters; other characters that are not ASCII are percent-encoded.
	const target = url.replace(/[\0-\x20\x7f-\uffff]+/g, (part) =>
		encodeURI(part.replace(/[\0-\x1f\x7f-\x9f]/g, "").toWellFormed()),
	);
	return `\x1b]8;;${target}${st}${text}\x1b]8;;${st}`;
}

/** `rich`: the terminal has confirmed that it supports OSC 99. */
export function noticeSequence(title: string, body: string, rich: boolean): string {
	const [head, text] = [title, body].map((part) => oneLine(part, terminalLimits.noticeChars));
	if (!rich) return `\x1b]9;${text ? `${head}: ${text}` : head}\x07`;
	const encode = (part: string | undefined) => Buffer.from(part ?? "").toString("base64");
	const last = text ? `\x1b]99;i=tau:d=1:e=1:p=body;${encode(text)}${st}` : "";
	return `\x1b]99;i=tau:d=${text ? 0 : 1}:e=1:p=title;${encode(head)}${st}${last}`;
}

/** `undefined` when the text is too long for the clipboard of terminals, which cut or drop longer text. */
export function clipboardSequence(text: string): string | undefined {
	if (cutUtf8(text, terminalLimits.clipboardBytes).length < text.length) return undefined;
	return `\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`;
}

/** Shows activity in a task bar. */
export function progressSequence(active: boolean): string {
	return `\x1b]9;4;${active ? 3 : 0}\x07`;
}

/** An answer in the form that Google's clients get without `alt=sse`: one JSON list of all responses, or of the error. */
import { failure } from "../../failure.ts";
import { parseObject } from "../../json.ts";
import { eventParser } from "../../parse/index.ts";
import { servedProtocols } from "./table.ts";

/** The items of a stream are passed on as they come; any other answer becomes the only item. */
export async function asList(response: Response): Promise<Response> {
	const { status, body } = response;
	const headers = new Headers(response.headers);
	const type = headers.get("content-type") ?? "";
	if (!body || !/json|event-stream/.test(type)) return response;
	headers.set("content-type", "application/json; charset=utf-8");
	if (type.includes("event-stream")) return new Response(listed(body), { status, headers });
	const text = await response.text();
	return new Response(text.trimStart().startsWith("[") ? text : `[${text}]`, { status, headers });
}

function listed(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
	const reader = body.getReader();
	const encoder = new TextEncoder();
	const parser = eventParser("sse");
	let isFirst = true;
	return new ReadableStream<Uint8Array>({
		async pull(controller) {
			let text = "";
			while (text === "") {
				const { value, done } = await reader.read();
				const { events, failure: problem } = done ? { events: parser.rest() } : parser.push(value);
				const items = events.map(({ data }) => itemOf(data));
				if (problem !== undefined) items.push(errorItem(problem));
				for (const item of items) {
					text += (isFirst ? "[" : ",\r\n") + item;
					isFirst = false;
				}
				if (!done && problem === undefined) continue;
				controller.enqueue(encoder.encode(`${text}${isFirst ? "[" : ""}]`));
				controller.close();
				return await reader.cancel();
			}
			controller.enqueue(encoder.encode(text));
		},
		cancel: (reason) => reader.cancel(reason),
	});
}

/** The provider's own text. Half a response, which an error follows, would make the whole list unreadable. */
function itemOf(data: string): string {
	const lastLine = data.slice(data.lastIndexOf("\n") + 1);
	const item = [data, lastLine].find((text) => parseObject(text));
	return item ?? errorItem("The provider sent a response that is not JSON");
}

function errorItem(message: string): string {
	return JSON.stringify(servedProtocols.google.error(failure("invalid_response", message), 502));
}

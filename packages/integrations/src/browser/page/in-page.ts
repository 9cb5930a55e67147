/** Calls the functions of `page-script.js`, which run in the page. */
import type { ElementHandle, Frame, JSHandle } from "puppeteer-core/internal/puppeteer-core-browser.js";

import text from "./page-script.js" with { type: "text" };

/** The functions, with their arguments after the element and their results. */
interface InPage {
	survey(mostElements: number, most: number): { elements: number; clickables: number; draggables: number };
	source(most: number): string;
	turn(): void;
	focus(): void;
	isFileField(): boolean;
	changed(): void;
	visibleControls(most: number): unknown;
	clickables(): unknown;
	draggables(most: number): unknown;
	body(): unknown;
	prepare(isClick: boolean): { problem?: string; isClicked?: boolean; x?: number; y?: number };
	prepareField(value: string): { problem?: string; isDone?: boolean };
	choose(wanted: readonly string[]): string;
	scroll(by: number | null): void;
	draw(boxes: readonly object[]): unknown;
	remove(): void;
	requestFile(url: string): void;
}

type Name = keyof InPage;

/** An assignment, to a variable of its own world. */
const script = text.trim().replace(/;$/, "");

function call(name: Name, args: readonly unknown[], subject: string): string {
	return `(${script}).${name}(${[subject, ...args.map((arg) => JSON.stringify(arg))].join(", ")})`;
}

export async function inFrame<N extends Name>(
	frame: Frame,
	name: N,
	...args: Parameters<InPage[N]>
): Promise<ReturnType<InPage[N]>> {
	// The script is ours: it returns what the interface says.
	return (await frame.isolatedRealm().evaluate(call(name, args, "null"))) as ReturnType<InPage[N]>;
}

/** The same, for a result that stays in the page. */
export async function handleInFrame<N extends Name>(
	frame: Frame,
	name: N,
	...args: Parameters<InPage[N]>
): Promise<JSHandle> {
	return await frame.isolatedRealm().evaluateHandle(call(name, args, "null"));
}

export async function onElement<N extends Name>(
	element: ElementHandle | JSHandle,
	frame: Frame,
	name: N,
	...args: Parameters<InPage[N]>
): Promise<ReturnType<InPage[N]>> {
	const { objectId } = element.remoteObject();
	if (objectId === undefined) throw new Error("The element is gone. Look again.");
	const { result, exceptionDetails } = await frame.client.send("Runtime.callFunctionOn", {
		functionDeclaration: `function () { return ${call(name, args, "this")}; }`,
		objectId,
		awaitPromise: true,
		returnByValue: true,
	});
	if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
	return result.value as ReturnType<InPage[N]>;
}

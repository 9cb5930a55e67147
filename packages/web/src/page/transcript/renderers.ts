/** Renderers that pages register for messages of their own kinds. */
import type { JSX } from "preact";

import type { CustomItem } from "./items.ts";

export type MessageRenderer = (message: Pick<CustomItem, "customType" | "text" | "details">) => JSX.Element;

const renderers = new Map<string, MessageRenderer>();

/** The last one that was registered for a kind draws it. */
export function registerRenderer(customType: string, renderer: MessageRenderer): Disposable {
	renderers.set(customType, renderer);
	return {
		[Symbol.dispose]() {
			if (renderers.get(customType) === renderer) renderers.delete(customType);
		},
	};
}

export function rendererFor(customType: string): MessageRenderer | undefined {
	return renderers.get(customType);
}

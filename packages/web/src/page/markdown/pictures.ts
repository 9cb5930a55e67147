/** Pictures in Markdown: those of the session's machine are shown, those of other servers wait for a click. */

/** Whoever shows the text decides how an image that lies on another server is asked for. */
export interface RenderOptions {
	/** The address of an image of the session's machine; undefined where there is none. */
	fileAddress?: ((path: string) => string | undefined) | undefined;
}

/** A picture of another server would tell it that the answer was read, and what the model put into the address. */
export function pictureOf(source: string, alt: string, { fileAddress }: RenderOptions): HTMLElement {
	if (/^data:image\/(?:png|jpeg|gif|webp);base64,/.test(source)) return imageOf(source, alt);
	const remote = safeAddress(source);
	const local = remote === undefined && source !== "" ? fileAddress?.(source) : undefined;
	if (local !== undefined) return imageOf(local, alt);
	const button = document.createElement("button");
	button.type = "button";
	button.className = "remote-image";
	button.textContent =
		remote === undefined ? `Image: ${alt || source}` : `Load image from ${new URL(remote).host}`;
	button.title = remote ?? source;
	button.disabled = remote === undefined || !remote.startsWith("https:");
	if (remote !== undefined) button.dataset.source = remote;
	return button;
}

function imageOf(source: string, alt: string): HTMLElement {
	const image = document.createElement("img");
	image.alt = alt;
	image.loading = "lazy";
	image.src = source;
	return image;
}

/** Only what leads to another page: neither code nor this page's own commands. */
export function safeAddress(href: string): string | undefined {
	try {
		const url = new URL(href);
		return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
	} catch {
		return undefined;
	}
}

/** Pictures in Markdown: those of the session's machine are shown, those of other servers wait for a click. */
import { localPath, safeAddress } from "./addresses.ts";
import { whenSeen } from "./when-seen.ts";

/** What an answer may show of the machine that the session works on. */
export interface RenderOptions {
	/** Whether the user may see files there: then links to them open them. */
	hasFiles?: boolean;
	/** The address of a picture there; undefined if there is none. Absent while the text is still being written. */
	picture?: ((path: string) => Promise<string | undefined>) | undefined;
}

/** A picture of another server would tell it that the answer was read, and what the model put into the address. */
export function pictureOf(source: string, alt: string, { picture }: RenderOptions): HTMLElement {
	if (/^data:image\/(?:png|jpeg|gif|webp);base64,/.test(source)) return imageOf(source, alt);
	const local = localPath(source);
	if (local && picture) return localPicture(local.path, alt, picture);
	return namedPicture(source, alt);
}

function localPicture(
	path: string,
	alt: string,
	picture: (path: string) => Promise<string | undefined>,
): HTMLElement {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "local-picture";
	button.dataset.action = "open-file";
	button.dataset.path = path;
	button.title = path;
	button.setAttribute("aria-label", alt || path);
	whenSeen(button, () => {
		void picture(path).then((address) => {
			if (address === undefined) button.replaceWith(namedPicture(path, alt));
			else button.append(imageOf(address, ""));
		});
	});
	return button;
}

function namedPicture(source: string, alt: string): HTMLElement {
	const remote = safeAddress(source);
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

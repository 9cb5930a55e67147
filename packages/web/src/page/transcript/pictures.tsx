/** Images of a message or a result; a click saves one. */
import type { JSX } from "preact";

import type { Picture } from "./items.ts";

interface PicturesProps {
	images: readonly Picture[];
	/** What they show, if that is known. */
	alt?: string | undefined;
}

export function Pictures({ images, alt }: PicturesProps): JSX.Element | null {
	if (images.length === 0) return null;
	const isShown = ({ mimeType }: Picture): boolean => /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType);
	const [shown, named] = [images.filter(isShown), images.filter((each) => !isShown(each))];
	return (
		<div class="pictures">
			{shown.map(({ data, mimeType }, at) => (
				<a key={at} href={`data:${mimeType};base64,${data}`} download={`image-${at + 1}`} title="Save image">
					<img src={`data:${mimeType};base64,${data}`} alt={alt ?? `Image ${at + 1}`} loading="lazy" />
				</a>
			))}
			{named.map(({ mimeType }, at) => (
				<span key={at}>[{mimeType}]</span>
			))}
		</div>
	);
}

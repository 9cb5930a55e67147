/** Images of a message or a result; a click saves one. */
import type { JSX } from "preact";

import type { Picture } from "./items.ts";

interface PicturesProps {
	images: readonly Picture[];
	/** What they show, if that is known. */
	alt?: string | undefined;
}

export function Pictures({ images, alt }: PicturesProps): JSX.Element | null {
	const shown = images.filter(({ mimeType }) => /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType));
	if (shown.length === 0) return null;
	return (
		<div class="pictures">
			{shown.map(({ data, mimeType }, at) => (
				<a key={at} href={`data:${mimeType};base64,${data}`} download={`image-${at + 1}`} title="Save image">
					<img src={`data:${mimeType};base64,${data}`} alt={alt ?? `Image ${at + 1}`} loading="lazy" />
				</a>
			))}
		</div>
	);
}

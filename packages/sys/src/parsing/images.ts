/** Makes images fit for models: small ones here, larger ones in a worker process. */
import { checkImage, fit, type FittedImage, type ImageLimits, type ImageRefusal } from "../images/fit.ts";
import { limits } from "./limits.ts";
import { orRefusal, parsers } from "./parsers.ts";

/** An image that a model accepts unchanged stays as it is; others are scaled and encoded again. */
export async function fitImage(
	bytes: Uint8Array,
	imageLimits?: ImageLimits,
	signal?: AbortSignal,
): Promise<FittedImage | ImageRefusal> {
	const checked = checkImage(bytes);
	if (!checked.ok) return checked;
	const isSmall =
		checked.width * checked.height <= limits.smallImagePixels && bytes.length <= limits.smallImageBytes;
	if (isSmall) return await fit(bytes, imageLimits);
	const options = { limits: limits.image, signal };
	const work = parsers.run("image", [bytes, imageLimits], options);
	return await orRefusal(work, (why) => ({
		ok: false as const,
		problem: "too-large" as const,
		message: `The image was not processed: ${why}. Make it smaller first.`,
	}));
}

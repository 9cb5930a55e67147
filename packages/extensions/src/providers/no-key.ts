/** What extensions get for the key of a model that is asked without one: they take nothing for "cannot be asked". */

/** pi's own word for it, where the machine or a login vouches for the person. */
export const noKey = "<authenticated>";

/** A key that can be sent. */
export function realKey(key: string | undefined): string | undefined {
	return key === noKey ? undefined : key;
}

/** What extensions get for the key of a model that is asked without one: they take nothing for "cannot be asked". */

/** pi's placeholder for a key if the machine or a login authenticates the user. */
export const noKey = "<authenticated>";

/** A key that can be sent. */
export function realKey(key: string | undefined): string | undefined {
	return key === noKey ? undefined : key;
}

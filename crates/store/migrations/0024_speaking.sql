-- Keys that may speak for people: a front end's key, with a secret by which the front end signs whom it speaks for.
-- The secret stands here as it is, because a signature cannot be checked by its digest. Alone it opens nothing: the key
-- is needed too, and of the key there is only a digest.
ALTER TABLE api_keys ADD COLUMN speaking_secret text;

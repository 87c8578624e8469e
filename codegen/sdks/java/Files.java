package sluice.client;

import java.io.File;
import sluice.client.api.FilesApi;
import sluice.client.model.FileList;
import sluice.client.model.StoredFile;

/** The files of batches. It is handwritten: the generated API knows single pages, and saves what it reads to a file. */
public final class Files {
    private final Sluice sluice;

    Files(Sluice sluice) {
        this.sluice = sluice;
    }

    /** Stores a file with the lines of a batch. */
    public StoredFile upload(File file) {
        return Sluice.done(() -> new FilesApi(sluice.api()).uploadFile(file, "batch").execute());
    }

    /** The bytes of a file. */
    public byte[] content(String id) {
        return sluice.read("/v1/files/" + id + "/content");
    }

    /** All files, newest first. */
    public Iterable<StoredFile> list() {
        return () -> new Pages<>(after -> {
            FileList list = Sluice.done(() -> new FilesApi(sluice.api()).listFiles().after(after).execute());
            return new Pages.Page<>(list.getData(), list.getHasMore() ? list.getLastId() : null);
        });
    }
}
